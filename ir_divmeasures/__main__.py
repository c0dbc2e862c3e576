"""``python -m ir_divmeasures``."""

from .cli import main

if __name__ == '__main__':
    raise SystemExit(main())
