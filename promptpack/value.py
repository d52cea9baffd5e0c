"""Frozen dataclasses for what every process needs: those of Python, without what importing and generating them costs.

`dataclasses` takes a process that starts longer than its first prompt does, so it is imported only when someone looks
at the fields: `dataclasses.replace`, `fields`, `asdict` and `is_dataclass` work as ever.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    _MISSING = object()

    def dataclass(*, frozen, order=False):
        """Make a class of immutable values, the only kind there is here."""
        assert frozen  # noqa: S101 -- type checkers see the decorator of dataclasses
        return lambda cls: _finish(cls, order)

    def field(*, default=_MISSING, default_factory=_MISSING, repr=True, compare=True):  # noqa: A002 -- as in dataclasses
        """Say more of a field than its default."""
        return _Field(default, default_factory, repr, compare)

    def replace(value, /, **changes):
        """Give the same value with other fields."""
        kept = {name: getattr(value, name) for name in value.__match_args__ if name not in changes}
        return type(value)(**kept, **changes)

    class _Field:
        __slots__ = ("compare", "default", "factory", "repr")

        def __init__(self, default, factory=_MISSING, repr=True, compare=True):  # noqa: A002
            self.default = default
            self.factory = factory
            self.repr = repr
            self.compare = compare

    def _finish(cls, order):
        own = {name: _take_field(cls, name) for name in cls.__annotations__}
        cls._fields = {**getattr(cls, "_fields", {}), **own}
        cls.__match_args__ = tuple(cls._fields)
        cls.__dataclass_fields__ = _StandardFields()
        cls.__init__ = _LateInit(cls)
        for name, method in _methods(cls, order).items():
            if name not in cls.__dict__:
                setattr(cls, name, method)
        cls.__setattr__ = cls.__delattr__ = _refuse
        return cls

    def _take_field(cls, name):
        given = getattr(cls, name, _MISSING)
        if not isinstance(given, _Field):
            return _Field(given)
        delattr(cls, name)
        if given.default is not _MISSING:
            setattr(cls, name, given.default)
        return given

    class _LateInit:
        """A constructor that is written when it is first looked at: most classes that are imported make no value."""

        __slots__ = ("_owner",)

        def __init__(self, owner):
            self._owner = owner

        def __get__(self, instance, owner):
            written = self._owner.__init__ = _write_init(self._owner)
            return written.__get__(instance, owner)

    def _write_init(cls):
        """Write the constructor, so that it has a signature and takes no longer than one written by hand."""
        scope = {"_MISSING": _MISSING}
        parameters, lines = [], []
        for name, own in cls._fields.items():
            made = own.factory is not _MISSING
            scope[f"_{name}"] = own.factory if made else own.default
            default = "=_MISSING" if made else "" if own.default is _MISSING else f"=_{name}"
            parameters.append(name + default)
            lines.append(f"  fields__[{name!r}] = {f'_{name}() if {name} is _MISSING else ' if made else ''}{name}\n")
        exec(  # noqa: S102 -- nothing but the names of a class's own fields
            f"def __init__(self, {', '.join(parameters)}):\n  fields__ = self.__dict__\n{''.join(lines)}", scope
        )
        return scope["__init__"]

    def _methods(cls, order):
        compared = [name for name, own in cls._fields.items() if own.compare]
        shown = [name for name, own in cls._fields.items() if own.repr]

        def key(self):
            return tuple([getattr(self, name) for name in compared])

        def compare(test):
            return lambda self, other: (
                test(key(self), key(other)) if other.__class__ is self.__class__ else NotImplemented
            )

        def show(self):
            return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

        methods = {"__eq__": compare(tuple.__eq__), "__hash__": lambda self: hash(key(self)), "__repr__": show}
        if order:
            methods |= {name: compare(getattr(tuple, name)) for name in ("__lt__", "__le__", "__gt__", "__ge__")}
        return methods

    def _refuse(self, name, *_):
        raise AttributeError(f"cannot change {name!r}: a {type(self).__name__} is immutable")

    class _StandardFields:
        """The fields as `dataclasses` knows them, made when they are asked for."""

        def __get__(self, instance, owner):
            import dataclasses

            def standard(own):
                default = {} if own.default is _MISSING else {"default": own.default}
                default |= {} if own.factory is _MISSING else {"default_factory": own.factory}
                return dataclasses.field(repr=own.repr, compare=own.compare, **default)

            names = dict.fromkeys(owner._fields, "object")
            given = {name: standard(own) for name, own in owner._fields.items()}
            model = dataclasses.dataclass(type("Model", (), {"__annotations__": names, **given}))
            owner.__dataclass_fields__ = model.__dataclass_fields__
            return owner.__dataclass_fields__


__all__ = ["dataclass", "field", "replace"]
