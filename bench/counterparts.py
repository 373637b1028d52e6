# Reference results for bench/counterparts.mjs: labels by method and set, JSON to standard output.
import json, sys, warnings
import numpy as np
warnings.filterwarnings("ignore")
from sklearn import cluster, metrics
task = json.loads(open(sys.argv[1]).read())
out = {}

def put(method, name, labels, **more):
    out.setdefault(method, {})[name] = dict(labels=np.asarray(labels).tolist(), **more)

def attempt(method, name, work):
    if task.get("only") and not any(word in method for word in task["only"]):
        return
    try:
        work()
    except ImportError as problem:
        out.setdefault(method, {})["absent"] = str(problem)

for s in task["sets"]:
    name, X, K, eps = s["name"], np.array(s["X"]), s["K"], s["epsilon"]
    codes = np.array(s["codes"])
    D = metrics.pairwise_distances(X)
    def dbscan(): put("dbscan", name, cluster.DBSCAN(eps=eps, min_samples=5).fit_predict(X))
    def dbscan_given(): put("dbscan precomputed", name, cluster.DBSCAN(eps=eps, min_samples=5, metric="precomputed").fit_predict(D))
    def optics(): put("optics", name, cluster.OPTICS(min_samples=5, algorithm="ball_tree").fit_predict(X))
    def hdbscan():
        import hdbscan as h
        put("hdbscan precomputed", name, h.HDBSCAN(min_cluster_size=10, min_samples=5, metric="precomputed").fit_predict(D))
    def genie():
        import genieclust
        put("genie", name, genieclust.Genie(n_clusters=K, gini_threshold=.3, M=1).fit_predict(X))
    def affinity():
        m = cluster.AffinityPropagation(damping=.7, max_iter=2000, convergence_iter=30, random_state=0).fit(X)
        put("affinity-propagation", name, m.labels_)
    def bisecting(): put("bisecting-kmeans", name, cluster.BisectingKMeans(K, n_init=10, random_state=0).fit_predict(X))
    def minibatch(): put("minibatch-kmeans", name, cluster.MiniBatchKMeans(K, n_init=5, random_state=0).fit_predict(X))
    def fuzzy():
        import skfuzzy
        best = None
        for seed in range(5):
            c, u, _, _, jm, _, _ = skfuzzy.cluster.cmeans(X.T, K, 2.0, error=1e-9, maxiter=3000, seed=seed)
            if best is None or jm[-1] < best[0]: best = (jm[-1], u)
        put("fuzzy-cmeans", name, best[1].argmax(0), objective=float(best[0]))
    def kmodes():
        from kmodes.kmodes import KModes
        m = KModes(K, init="Huang", n_init=5, random_state=0).fit(codes)
        put("k-modes", name, m.labels_, objective=float(m.cost_))
    def kprototypes():
        from kmodes.kprototypes import KPrototypes
        m = KPrototypes(K, init="Huang", n_init=3, random_state=0, gamma=s["gamma"])
        mixed = np.hstack([X.astype(object), codes.astype(object)])
        try: l = m.fit_predict(mixed, categorical=list(range(X.shape[1], mixed.shape[1])))
        except ValueError: return  # it gives up where a start has an empty cluster
        put("k-prototypes", name, l, objective=float(m.cost_))
    def latent():
        from stepmix.stepmix import StepMix
        m = StepMix(n_components=K, measurement="categorical", n_init=5, random_state=0, max_iter=1000, abs_tol=1e-8, rel_tol=0, progress_bar=0, verbose=0).fit(codes)
        put("latent-classes", name, m.predict(codes), objective=-float(m.score(codes) * len(codes)))
    def average(): put("average precomputed", name, cluster.AgglomerativeClustering(K, metric="precomputed", linkage="average").fit_predict(D))
    def consensus():
        from scipy.cluster import hierarchy
        from scipy.spatial import distance
        votes = np.array(s["votes"])
        apart = distance.squareform(1 - np.mean([v[:, None] == v for v in votes], axis=0))
        put("consensus", name, hierarchy.fcluster(hierarchy.linkage(apart, "average"), K, "maxclust"))
    def leiden():
        import igraph, leidenalg
        g = igraph.Graph(n=len(X), edges=[(a, b) for a, b, _ in s["edges"]])
        w = [w for _, _, w in s["edges"]]
        p = leidenalg.find_partition(g, leidenalg.ModularityVertexPartition, weights=w, n_iterations=-1, seed=0)
        put("leiden modularity", name, p.membership, objective=-float(g.modularity(p.membership, weights=w)))
        q = leidenalg.find_partition(g, leidenalg.CPMVertexPartition, weights=w, n_iterations=-1, seed=0, resolution_parameter=.05)
        put("leiden potts", name, q.membership, objective=-float(q.quality()) / 2)  # every edge counts twice
    for method, work in {"dbscan": dbscan, "dbscan precomputed": dbscan_given, "optics": optics, "hdbscan precomputed": hdbscan, "genie": genie, "consensus": consensus,
                         "affinity-propagation": affinity, "bisecting-kmeans": bisecting, "minibatch-kmeans": minibatch, "fuzzy-cmeans": fuzzy,
                         "k-modes": kmodes, "k-prototypes": kprototypes, "latent-classes": latent, "average precomputed": average, "leiden modularity and potts": leiden}.items():
        attempt(method, name, work)
json.dump(out, sys.stdout)
