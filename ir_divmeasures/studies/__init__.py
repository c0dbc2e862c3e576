"""Published papers recomputed on your own runs: :func:`paper`, and the command ``ir_divmeasures study``."""

from ..errors import module_without
from .paper import Paper, paper

_AMIGO = "paper('amigo-2018', …) repeats it, on the same runs and judgments"
__getattr__ = module_without(
    __name__,
    {
        **dict.fromkeys(('axioms', 'unanimity', 'dynamic_domain', 'run_variants'), _AMIGO),
        'innovation': "paper('turkmen-2023', …) repeats it",
        'user_models': "paper('carterette-2011', …) repeats it",
        'hierarchies': "paper('dou-2019', …) repeats it",
        'nuggets': 'the guide on RAG shows how to make its tables with functions of meta',
        **dict.fromkeys(('Study', 'STUDIES'), 'paper() returns a Paper'),
    },
)

__all__ = ['Paper', 'paper']
