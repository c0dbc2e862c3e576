"""The measures, one file a family. Importing this package registers their names with ir_measures."""

from . import utility, novelty, subtopic, intent_aware, area, dmeasures, layered  # noqa: I001 (the catalogue's order)
from . import (
    interactive,
    sessions,
    proportionality,
    document_similarity as similarity,
    rareness,
    usermodel,
    gap,
)
from . import cwl
from .utility import *  # noqa: F403
from .novelty import *  # noqa: F403
from .subtopic import *  # noqa: F403
from .intent_aware import *  # noqa: F403
from .area import *  # noqa: F403
from .dmeasures import *  # noqa: F403
from .layered import *  # noqa: F403
from .interactive import *  # noqa: F403
from .sessions import *  # noqa: F403
from .proportionality import *  # noqa: F403
from .document_similarity import *  # noqa: F403
from .rareness import *  # noqa: F403
from .usermodel import *  # noqa: F403
from .gap import *  # noqa: F403
from .cwl import *  # noqa: F403

__all__: list[str] = []
__all__ += utility.__all__
__all__ += novelty.__all__
__all__ += subtopic.__all__
__all__ += intent_aware.__all__
__all__ += area.__all__
__all__ += dmeasures.__all__
__all__ += layered.__all__
__all__ += interactive.__all__
__all__ += sessions.__all__
__all__ += proportionality.__all__
__all__ += similarity.__all__
__all__ += rareness.__all__
__all__ += usermodel.__all__
__all__ += gap.__all__
__all__ += cwl.__all__
