// Numbers of a list, by the address of the first and their place.

@inline export function int(list: usize, i: i32): i32 { return load<i32>(list + (<usize>i << 2)); }
@inline export function setInt(list: usize, i: i32, value: i32): void { store<i32>(list + (<usize>i << 2), value); }
@inline export function real(list: usize, i: i32): f64 { return load<f64>(list + (<usize>i << 3)); }
@inline export function setReal(list: usize, i: i32, value: f64): void { store<f64>(list + (<usize>i << 3), value); }
@inline export function single(list: usize, i: i32): f32 { return load<f32>(list + (<usize>i << 2)); }
