"""The server that the other tests rely on."""

import urllib.error
import urllib.request

import pytest


def test_the_server_refuses_unsigned_requests(s3):
    request = urllib.request.Request(f"{s3.endpoint}/{s3.bucket}/a", data=b"x", method="PUT")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 403
    assert not list(s3.directory.iterdir())
