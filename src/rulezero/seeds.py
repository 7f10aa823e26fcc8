"""Numbers that look random and depend on a key alone."""

import hashlib


def keyed(*key: object) -> int:
    """A 64-bit number that depends on the key alone."""
    text = "/".join(str(part) for part in key)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
