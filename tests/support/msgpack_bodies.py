"""Hooks for schemathesis: bodies of the server's messages are bytes already."""

import schemathesis


@schemathesis.serializer("application/msgpack")
def as_it_is(_: schemathesis.SerializationContext, value: object) -> bytes:
    """The bytes that were generated."""
    return value if isinstance(value, bytes) else bytes(str(value), "utf-8")
