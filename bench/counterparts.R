# Reference results for bench/counterparts.mjs by cluster and mclust, a folder of CSV files in, JSON lines out.
folder <- commandArgs(TRUE)[1]
only <- strsplit(commandArgs(TRUE)[2], ",")[[1]]
wanted <- function(method) length(only) == 0 || any(sapply(only, grepl, method, fixed = TRUE))
say <- function(method, name, labels, objective) cat(sprintf(
  '{"method":"%s","name":"%s","labels":[%s],"objective":%.12g}\n', method, name, paste(labels, collapse = ","), objective))
has <- function(package) suppressWarnings(suppressMessages(require(package, character.only = TRUE, quietly = TRUE)))
for (file in list.files(folder, "[.]csv$", full.names = TRUE)) {
  name <- sub("[.]csv$", "", basename(file)); K <- as.integer(sub(".*__", "", name)); name <- sub("__.*", "", name)
  X <- as.matrix(read.csv(file, header = FALSE))
  if (wanted("clara") && has("cluster")) {
    m <- clara(X, K, samples = 10, sampsize = min(nrow(X), 100 + 5 * K), pamLike = TRUE, rngR = FALSE)
    say("clara", name, m$clustering, m$objective * nrow(X))
  }
  if (has("mclust")) for (model in Filter(function(m) wanted(paste("mclust", m)), c("EII", "VII", "EEI", "VEI", "EVI", "VVI", "EEE", "VEE", "EVE", "VVE", "EEV", "VEV", "EVV", "VVV"))) {
    m <- tryCatch(Mclust(X, G = K, modelNames = model, verbose = FALSE), error = function(e) NULL)
    if (!is.null(m)) say(paste("mclust", model), name, m$classification, -m$loglik)
  }
}
