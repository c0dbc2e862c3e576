#!/usr/bin/env bash
# Show the patches for ir_measures in an environment of its own: before it, after it, with its tests, and what it costs.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=

echo "== ir_measures 0.4.3 and this package, installed"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet ir_measures==0.4.3 . 2>"$work/pip.log" || { cat "$work/pip.log"; exit 1; }
site=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
mkdir "$work/old"
cp -r "$site/ir_measures" "$work/old/"
patches=("$PWD"/contrib/ir_measures/*.patch)
cd "$work"
printf '1 1 a 1\n1 2 b 1\n' >qrels.txt
printf '1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n' >run.txt

echo "== before: ir_measures does not know the name"
if venv/bin/python -m ir_measures qrels.txt run.txt 'RBU@20' 2>before.txt; then echo "it does" >&2; exit 1; fi
tail -n 1 before.txt

echo "== the patch"
(cd "$site" && cat "${patches[@]}" | patch --batch --forward --fuzz=0 -p1)

echo "== after: the name is found, and the package is imported for it only then"
venv/bin/python -c "
import sys
import ir_measures
assert str(ir_measures.parse_measure('nDCG@20')) == 'nDCG@20' and 'ir_divmeasures' not in sys.modules
print(ir_measures.parse_measure('RBU@20'), ir_measures.parse_measure('IA(M=\"nDCG\")@10'))
assert 'ir_divmeasures' in sys.modules"
venv/bin/python -m ir_measures qrels.txt run.txt 'RBU@20 nDCG@20'

echo "== its tests"
venv/bin/python -W error "$site/tests/test_entry_points.py"

echo "== import ir_measures, with and without the patch: processor time, best of 40, in turns"
venv/bin/python - "$work/old" "$site" <<'PYTHON'
import subprocess
import sys

CODE = 'import time; start = time.process_time(); import ir_measures; print(time.process_time() - start)'
old, new = [], []
for _ in range(40):
    for folder, times in ((sys.argv[1], old), (sys.argv[2], new)):
        done = subprocess.run([sys.executable, '-c', f'import sys; sys.path.insert(0, {folder!r}); {CODE}'],
                              capture_output=True, text=True, check=True)
        times.append(1000 * float(done.stdout))
print(f'without {min(old):.1f} ms, with {min(new):.1f} ms')
assert min(new) - min(old) < 5, 'the patch costs 5 ms or more'
PYTHON
echo "== all passed"
