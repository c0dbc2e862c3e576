"""Inside the hosts: names of measures, the parsing of names and the provider in ir_measures; names in PyTerrier.

The names that this package uses from a host are listed and checked first, so that an unsuitable release gives a clear
message.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import ir_measures as host  # this package also has a module called ir_measures

IR_MEASURES = (
    'Measure',
    'Measure.NAME',
    'Measure.AT_PARAM',
    'Measure.SUPPORTED_PARAMS',
    'Measure.validate_params',
    'CalcResults',
    'Measure.aggregator',
    'Metric',
    'calc_aggregate',
    'iter_calc',
    'parse_measure',
    'parse_trec_measure',
    'DefaultPipeline.providers',
    'measures.registry',
    'measures.ParamInfo',
    'util.parse_measure',
    'util.parse_trec_measure',
    'util.QrelsConverter',
    'providers.registry',
    'providers.register',
    'providers.Provider',
    'providers.Provider.evaluator',
    'providers.Provider.supports',
    'providers.Provider.is_available',
    'providers.Evaluator',
    'providers.Evaluator.iter_calc',
    'providers.FallbackProvider',
)
"""What this package uses inside ir_measures."""
IR_DATASETS = (
    'load',
    'registry',
    'registry.register',
    'datasets.base.Dataset',
    'datasets.clueweb12.TrecWebTrackQuery',
    'formats.TrecSubQrels',
    'formats.TrecXmlQueries',
    'formats.TsvDocs',
    'indices.Docstore',
    'util.LocalDownload',
    'util.html_parsing.decode_html',
)
"""What it uses inside ir_datasets."""


def require(package: Any, distribution: str, tested: str, names: Iterable[str]) -> None:
    """Raise if a host lacks something that this package uses.

    Args:
        package: the host's module.
        distribution: its name in the package index.
        tested: the newest version that has all of it.
        names: what is used, as attributes of the module.

    Raises:
        ImportError: names what is missing, the version that was found, and one that has it.
    """
    for name in names:
        try:
            functools.reduce(getattr, name.split('.'), package)
        except AttributeError:
            import importlib.metadata  # reads e-mail headers, and the command starts without it

            raise ImportError(
                f'ir_divmeasures uses {package.__name__}.{name}, which {distribution} '
                f'{importlib.metadata.version(distribution)} does not have; {distribution}=={tested} has '
                f'it, or a newer ir_divmeasures does without it'
            ) from None


def check_ir_datasets() -> None:
    """Raise ImportError if ir_datasets lacks something that this package uses."""
    import ir_datasets

    require(ir_datasets, 'ir-datasets', '0.6.3', IR_DATASETS)


require(host, 'ir-measures', '0.4.3', IR_MEASURES)
