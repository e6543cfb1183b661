"""What a call can fail with: an error for each code, made from google.rpc.Status. Knows of gRPC only its errors."""

from collections.abc import Mapping
from contextlib import suppress
from typing import cast

import grpc
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from grpc_status import rpc_status


class ServiceError(Exception):
    """A call failed. Codes that have no class of their own, such as INTERNAL, raise this one."""

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        reason: str,
        fields: Mapping[str, str],
        metadata: Mapping[str, str],
        retry_delay: float | None,
        request_id: str,
    ) -> None:
        # All of them as arguments of the exception: so it can be pickled, and cross from one process to another.
        super().__init__(code, message, reason, fields, metadata, retry_delay, request_id)
        self.code = code
        self.message = message
        """In words for people; docs/api.md promises nothing about them."""
        self.reason = reason
        """The stable word that docs/api.md lists, such as ``MOVE_INVALID``. Empty if the service did not answer."""
        self.fields = fields
        """Why each wrong field of the request was refused, by its path, such as ``limits.time``."""
        self.metadata = metadata
        """What else the reason comes with, such as ``winners`` of a game that is finished."""
        self.retry_delay = retry_delay
        """Seconds until it is worth asking again; None if the service did not say."""
        self.request_id = request_id
        """What the service's log calls this call."""

    @property
    def field(self) -> str | None:
        """The path of the first field that is wrong; None if no field is."""
        return next(iter(self.fields), None)

    def __str__(self) -> str:
        """The fields and what is wrong with them, else the message; and the reason, else the code."""
        what = "; ".join(f"{field}: {why}" for field, why in self.fields.items()) or self.message
        return f"{what} ({self.reason or self.code.name})"


class InvalidArgument(ServiceError):
    """The request is wrong: `fields` says where and why."""


class NotFound(ServiceError):
    """There is no such game or edition."""


class FailedPrecondition(ServiceError):
    """The request does not go with its state: the game is finished, or chance has to come first."""


class Unauthenticated(ServiceError):
    """The service wants a token, or another one."""


class ResourceExhausted(ServiceError):
    """The service has no room for the call now, or the client's quota is used up; or a message is too large."""


class DeadlineExceeded(ServiceError):
    """No answer came within the call's time."""


class Unavailable(ServiceError):
    """No service could be reached, or it stopped before it answered."""


CLASSES: Mapping[grpc.StatusCode, type[ServiceError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgument,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.FAILED_PRECONDITION: FailedPrecondition,
    grpc.StatusCode.UNAUTHENTICATED: Unauthenticated,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ResourceExhausted,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
}


def from_rpc(error: grpc.RpcError, request_id: str) -> ServiceError:
    """The error of a call that gRPC says has failed."""
    call = cast(grpc.Call, error)  # what every error of a call has, also that of asyncio: a code and metadata
    info, request, retry = ErrorInfo(), BadRequest(), RetryInfo()
    # Between the service and here may be a proxy: details that it garbled say nothing, but the code stands.
    with suppress(DecodeError, ValueError):
        status = rpc_status.from_call(call)
        for detail in status.details if status else ():
            for known in (info, request, retry):
                detail.Unpack(known)  # without effect on those of another kind
    return CLASSES.get(call.code(), ServiceError)(
        call.code(),
        call.details() or "",
        info.reason,
        {violation.field: violation.description for violation in request.field_violations},
        dict(info.metadata),
        retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9 if retry.HasField("retry_delay") else None,
        request_id,
    )
