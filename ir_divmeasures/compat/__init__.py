"""Stand-ins for programs of the field: their output from their input."""


def __getattr__(name: str) -> None:
    removed = (
        '. It was removed: `ir_divmeasures evaluate QRELS RUN -m web-track --format ndeval` prints the same lines'
        if name == 'ndeval'
        else ''
    )
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}{removed}')
