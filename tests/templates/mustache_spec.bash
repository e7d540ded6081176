# The cases of the Mustache specification: mustache_spec.bash SCRIPT_MUSTACHE_SPEC PROGRAM. Skipped (77) where they cannot be had.
set -euo pipefail
folder=$("$1") || { echo "skipped: the cases cannot be fetched"; exit 77; }
"$2" "$folder"/*.json
