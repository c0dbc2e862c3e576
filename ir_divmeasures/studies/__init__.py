"""Published papers recomputed on your own runs: :func:`paper`, and the command ``ir_divmeasures study``."""

from ..errors import module_without
from .paper import EARLIER, Paper, paper

__getattr__ = module_without(
    __name__,
    {
        **{
            name.replace('-', '_'): f'paper({key!r}, …) repeats it' for name, key in EARLIER.items()
        },
        'run_variants': "paper('amigo-2018', …) repeats it",
        'rare_common': "paper('turkmen-2023', …)['figure1'] repeats it",
        'nuggets': 'the guide on RAG shows how to make its tables with functions of meta',
        **dict.fromkeys(('Study', 'STUDIES'), 'paper() returns a Paper'),
    },
)

__all__ = ['Paper', 'paper']
