"""What grpcurl does, in a few lines: lists, describes and calls methods without their proto files or generated code.

    python examples/reflection/call.py HOST:PORT list
    python examples/reflection/call.py HOST:PORT describe nebula_ai.v1.OpponentService
    python examples/reflection/call.py HOST:PORT call nebula_ai.v1.OpponentService/ListBots '{"game": "nebula"}'

The server describes its methods and messages by itself (server reflection); requests and responses are JSON.
"""

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import cast

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2  # noqa: F401  # so that the details of errors can be shown
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status import rpc_status

TIMEOUT = 60
"""Seconds that a call may take."""


class Unknown(Exception):
    """The server has nothing of this name."""


def describe(pool: DescriptorPool, symbol: str) -> Iterator[str]:
    """The lines that describe a service, a message or an enum. Raises Unknown."""
    with suppress(KeyError):
        return service_lines(pool.FindServiceByName(symbol))
    with suppress(KeyError):
        return message_lines(pool.FindMessageTypeByName(symbol))
    with suppress(KeyError):
        return enum_lines(pool.FindEnumTypeByName(symbol))
    raise Unknown(symbol)


def find_method(pool: DescriptorPool, name: str) -> MethodDescriptor:
    """The method of a name such as ``package.Service/Method``. Raises Unknown."""
    service, _, method = name.rpartition("/")
    try:
        return pool.FindServiceByName(service).methods_by_name[method]
    except KeyError:
        raise Unknown(name) from None


def service_lines(service: ServiceDescriptor) -> Iterator[str]:
    """A service and its methods."""
    yield f"service {service.full_name}"
    for method in service.methods:
        stream = "stream " if method.server_streaming else ""
        yield f"  {method.name}({method.input_type.full_name}) returns {stream}{method.output_type.full_name}"


def message_lines(message: Descriptor) -> Iterator[str]:
    """A message and its fields."""
    yield f"message {message.full_name}"
    for field in message.fields:
        yield f"  {type_name(field)} {field.name} = {field.number}"


def enum_lines(enum: EnumDescriptor) -> Iterator[str]:
    """An enum and its values."""
    yield f"enum {enum.full_name}"
    for value in enum.values:
        yield f"  {value.name} = {value.number}"


def type_name(field: FieldDescriptor) -> str:
    """A field's type, as in a proto file."""
    message = field.message_type
    if message is not None and message.GetOptions().map_entry:
        key, value = message.fields_by_name["key"], message.fields_by_name["value"]
        return f"map<{type_name(key)}, {type_name(value)}>"
    if message is not None:
        name = message.full_name
    elif field.enum_type is not None:
        name = field.enum_type.full_name
    else:
        kind = FieldDescriptorProto.Type.ValueType(field.type)
        name = FieldDescriptorProto.Type.Name(kind).removeprefix("TYPE_").lower()
    return f"repeated {name}" if field.is_repeated else name


def call(channel: grpc.Channel, method: MethodDescriptor, request: str) -> Iterator[str]:
    """The responses of a method, one after the other, as JSON."""
    message = json_format.Parse(request, GetMessageClass(method.input_type)())
    # A stream of one response is what a method without a stream looks like.
    ask: grpc.UnaryStreamMultiCallable[Message, Message] = channel.unary_stream(
        f"/{method.containing_service.full_name}/{method.name}",
        lambda sent: sent.SerializeToString(),
        GetMessageClass(method.output_type).FromString,
    )
    for response in ask(message, timeout=TIMEOUT):
        yield json_format.MessageToJson(response, preserving_proto_field_name=True)


def refusal(error: grpc.RpcError) -> str:
    """The code of an error, and its details as JSON."""
    call = cast(grpc.Call, error)  # as every error of a call is
    status = rpc_status.from_call(call)
    return f"{call.code().name}: {json_format.MessageToJson(status) if status else call.details()}"


def main(address: str, command: str, *arguments: str) -> None:
    """Runs a command."""
    with grpc.insecure_channel(address) as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        pool = DescriptorPool(database)
        match command, arguments:
            case "list", ():
                print("\n".join(sorted(database.get_services())))
            case "describe", (symbol,):
                print("\n".join(describe(pool, symbol)))
            case "call", (name, request):
                for response in call(channel, find_method(pool, name), request):
                    print(response)
            case _:
                sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except grpc.RpcError as error:
        sys.exit(refusal(error))
    except Unknown as error:
        sys.exit(f"the server knows no {error}")
    except json_format.ParseError as error:
        sys.exit(f"the request is wrong: {error}")
