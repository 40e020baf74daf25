"""Tributary for Python, through its C interface.

The library is looked for where the system has its libraries, or where TRIBUTARY_LIBRARY says.
"""

import ctypes
import json
import os
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_void_p

_library = ctypes.CDLL(os.environ.get("TRIBUTARY_LIBRARY", "libtributary.so.1"))
_words = POINTER(c_char_p)
_text = POINTER(c_void_p)
_error = POINTER(c_void_p)
_callback = CFUNCTYPE(None, c_void_p, c_char_p)

for _name, _arguments in {
    "attach": [c_char_p, _words, _text, _error],
    "detach": [c_char_p, _words, _error],
    "open": [c_char_p, _words, POINTER(c_void_p), _error],
    "close": [c_void_p],
    "sync": [c_void_p, _words, _text, _error],
    "status": [c_void_p, _text, _error],
    "digest": [c_void_p, _text, _error],
    "conflicts": [c_void_p, _words, _text, _error],
    "resolve": [c_void_p, c_char_p, c_char_p, _error],
    "on_import": [c_void_p, _callback, c_void_p, _error],
    "start": [c_void_p, _words, _error],
    "stop": [c_void_p, _error],
}.items():
    getattr(_library, "tributary_" + _name).argtypes = _arguments
for _name in ("code", "message", "path", "remedy", "description"):
    _function = getattr(_library, "tributary_error_" + _name)
    _function.restype, _function.argtypes = c_char_p, [c_void_p]
_library.tributary_error_free.argtypes = [c_void_p]
_library.tributary_free.argtypes = [c_void_p]
_library.tributary_shares_sqlite.argtypes = [c_char_p]


class Error(Exception):
    """What is wrong: code, message, path and remedy."""

    def __init__(self, error):
        def text(name):
            return getattr(_library, "tributary_error_" + name)(error).decode()

        super().__init__(text("description"))
        self.code, self.message, self.path = text("code"), text("message"), text("path")
        self.remedy = text("remedy")


def _options(options):
    """Words as tributary.h has them: name=value, True for an option without one, lists for repeated ones."""
    words = []
    for name, value in options.items():
        name = name.rstrip("_").replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            words += [name] if each is True else [name, str(each)]
    return (c_char_p * (len(words) + 1))(*[word.encode() for word in words], None)


def _take(text):
    try:
        return ctypes.string_at(text).decode() if text else None
    finally:
        _library.tributary_free(text)


def _call(name, *arguments, returns=False):
    text, error = c_void_p(), c_void_p()
    if returns:
        arguments += (byref(text),)
    code = getattr(_library, "tributary_" + name)(*arguments, byref(error))
    result = _take(text)
    if code != 0:
        try:
            raise Error(error)
        finally:
            _library.tributary_error_free(error)
    return result


def attach(path, container, name, **options):
    """Makes a database a store: attach("a.db", "/srv/shared", "Library", policy=["album.plays=counter"])."""
    options = _options({"container": container, "name": name, **options})
    return json.loads(_call("attach", os.fsencode(path), options, returns=True))


def detach(path, **options):
    """Makes a store an ordinary database again."""
    _call("detach", os.fsencode(path), _options(options))


class Store:
    """An open store; closes itself at the end of a `with`."""

    def __init__(self, path, **options):
        self._store = c_void_p()
        self._told = None
        _call("open", os.fsencode(path), _options(options), byref(self._store))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        _library.tributary_close(self._store)
        self._store = c_void_p()

    def sync(self, **options):
        return json.loads(_call("sync", self._store, _options(options), returns=True))

    def status(self):
        return json.loads(_call("status", self._store, returns=True))

    def digest(self):
        return _call("digest", self._store, returns=True)

    def conflicts(self, **options):
        return json.loads(_call("conflicts", self._store, _options(options), returns=True))

    def resolve(self, conflict, resolution):
        _call("resolve", self._store, conflict.encode(), resolution.encode())

    def on_import(self, function):
        """Has a function called with the report of each import; on the store's thread after start()."""
        told = _callback(lambda _, report: function(json.loads(report)))
        _call("on_import", self._store, told, None)
        # The former one is not called any more; this one must stay as long as it may be.
        self._told = told

    def start(self, **options):
        _call("start", self._store, _options(options))

    def stop(self):
        _call("stop", self._store)
