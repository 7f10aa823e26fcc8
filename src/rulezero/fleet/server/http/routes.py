"""The routes for workers and trainers; bodies are messages of the protocol."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, NamedTuple, cast

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.responses import FileResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from rulezero.fleet.protocol import (
    MOST_BYTES,
    MOST_NET_BYTES,
    PROTOCOL,
    Delivery,
    FleetError,
    Hello,
    LeaseAnswer,
    LeaseRequest,
    NetBundle,
    ProgressReport,
    Receipt,
    Renewal,
    TaskOrder,
    TaskState,
    Upload,
    Withdrawn,
)
from rulezero.fleet.server.forms import Scope, Status, Token
from rulezero.fleet.server.http.answers import MSGPACK, gives, message, takes
from rulezero.fleet.server.http.gate import Gate, read_body, read_message
from rulezero.fleet.server.service import Service
from rulezero.version import __version__

_LARGEST_QUESTION = 64 << 10  # bytes of a request for a lease, or a report

Id = Annotated[str, Path(pattern="^[0-9a-f]{8,64}$")]
Sha256 = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]


class Host(NamedTuple):
    """What routes use."""

    service: Service
    gate: Gate


def host_of(request: Request) -> Host:
    """The host that the application has."""
    return cast(Host, request.app.state.host)


async def _host(request: Request) -> Host:
    # FastAPI calls functions that are not async in threads, which takes longer than most requests.
    return host_of(request)


def admitted(
    *scopes: Scope, is_for_people: bool = False
) -> Callable[..., Coroutine[Any, Any, Token]]:
    """The token of a request, which has one of these scopes."""

    async def admit(
        request: Request,
        _: Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))],
        rulezero: Annotated[str | None, Header(description="PROTOCOL VERSION")] = None,
    ) -> Token:
        gate = host_of(request).gate
        return await gate.admit(request, rulezero, *scopes, is_for_people=is_for_people)

    return admit


At = Annotated[Host, Depends(_host)]
Anyone = Annotated[Token, Depends(admitted())]
Person = Annotated[Token, Depends(admitted(is_for_people=True))]
Worker = Annotated[Token, Depends(admitted("worker"))]
Trainer = Annotated[Token, Depends(admitted("trainer"))]
Player = Annotated[Token, Depends(admitted("worker", "trainer"))]

router = APIRouter(prefix="/v1")


@router.get("/hello", response_class=Response, responses=gives(Hello))
async def hello(token: Anyone) -> Response:
    """Introduces the server, and says what the token may do."""
    scopes = [str(scope) for scope in token.scopes]
    return message(Hello(protocol=PROTOCOL, version=__version__, scopes=scopes, token=token.name))


@router.get("/status", responses=gives(None))
async def status(host: At, _: Person) -> Status:
    """Workers, tasks, speed and flags."""
    return host.service.status()


@router.post(
    "/leases",
    response_class=Response,
    responses=gives(LeaseAnswer, 413),
    openapi_extra=takes(LeaseRequest),
)
async def lease(request: Request, host: At, token: Worker) -> Response:
    """Leases games of a task to a worker."""
    body = await read_body(request, _LARGEST_QUESTION)
    asked = read_message(body, LeaseRequest)
    return message(await host.service.lease(token, asked, request.is_disconnected))


@router.post(
    "/leases/{lease_id}/progress",
    response_class=Response,
    responses=gives(Renewal, 404, 413),
    openapi_extra=takes(ProgressReport),
)
async def progress(request: Request, host: At, token: Worker, lease_id: Id) -> Response:
    """Renews a lease whose worker makes progress."""
    report = read_message(await read_body(request, _LARGEST_QUESTION), ProgressReport)
    return message(await host.service.progress(token, lease_id, report.steps))


@router.delete("/leases/{lease_id}", status_code=204, responses=gives(None, 404))
async def release(
    host: At,
    token: Worker,
    lease_id: Id,
    reason: Annotated[str, Query(max_length=200, pattern="^[ -~]*$")] = "",
) -> None:
    """Gives the games of a lease to others; the reason is written into the log."""
    await host.service.release(token, lease_id, reason)


@router.post(
    "/games",
    response_class=Response,
    responses=gives(Receipt, 404, 413)
    | {422: {"description": "A Receipt: games were refused.", **gives(Receipt)[200]}},
    openapi_extra=takes(Upload),
)
async def upload(request: Request, host: At, token: Worker) -> Response:
    """Stores finished games of a lease that are valid; they survive a power cut."""
    with host.gate.reserve(request, token, MOST_BYTES) as reserved:
        body = await reserved.body()
        receipt = await host.service.upload(token, read_message(body, Upload))
    host.service.metrics.uploaded.inc(len(body))
    host.gate.use(token, uploaded=len(body), stored=receipt.accepted, refused=len(receipt.refused))
    return message(receipt, 422 if receipt.refused else 200)


@router.get("/nets/{sha256}", response_class=FileResponse, responses=gives(NetBundle, 404))
@router.head("/nets/{sha256}", response_class=FileResponse, responses=gives(NetBundle, 404))
async def net(host: At, _: Player, sha256: Sha256) -> FileResponse:
    """A net with its canaries."""
    path = host.service.nets.path(sha256)
    if path is None:
        raise FleetError(f"there is no net {sha256}", 404)
    return FileResponse(path, media_type=MSGPACK)


@router.put(
    "/nets/{sha256}",
    status_code=204,
    responses=gives(None, 413, 422),
    openapi_extra=takes(NetBundle),
)
async def put_net(request: Request, host: At, _: Trainer, sha256: Sha256) -> None:
    """Takes a net that tasks name."""
    path, file = host.service.nets.begin()
    try:
        with file:
            size = 0
            async for piece in request.stream():
                size += len(piece)
                if size > MOST_NET_BYTES:
                    raise FleetError(f"a net has at most {MOST_NET_BYTES:,} bytes", 413)
                await asyncio.to_thread(file.write, piece)
        await asyncio.to_thread(host.service.nets.keep, path, sha256)
    finally:
        path.unlink(missing_ok=True)


@router.put(
    "/tasks/{task_id}",
    response_class=Response,
    responses=gives(TaskState, 413, 422),
    openapi_extra=takes(TaskOrder),
)
async def put_task(request: Request, host: At, token: Trainer, task_id: Id) -> Response:
    """Offers the games of a task to workers; the same task again changes nothing."""
    with host.gate.reserve(request, token, MOST_BYTES) as reserved:
        order = read_message(await reserved.body(), TaskOrder)
        if order.id != task_id:
            raise FleetError(f"the id of this task is {order.id}, not {task_id}", 400)
        return message(await host.service.add_task(order))


@router.get("/tasks/{task_id}/games", response_class=Response, responses=gives(Delivery, 404))
async def games(
    host: At,
    _: Trainer,
    task_id: Id,
    after: Annotated[int, Query(ge=0, lt=1 << 31)] = 0,
    wait: Annotated[float, Query(ge=0, le=30)] = 0,
) -> Response:
    """Stored games of a task, in the order in which they came."""
    return message(await host.service.deliver(task_id, after, wait))


@router.delete("/tasks/{task_id}", status_code=204, responses=gives(None, 404))
async def close_task(host: At, _: Trainer, task_id: Id) -> None:
    """Ends a task: no more games of it are played."""
    await host.service.close_task(task_id)


@router.get("/withdrawn", response_class=Response, responses=gives(Withdrawn))
async def withdrawn(
    host: At, _: Trainer, job: Annotated[str, Query(pattern="^[0-9a-f]{8,64}$")]
) -> Response:
    """The records of a job that nets are no longer to learn from."""
    found = await asyncio.to_thread(host.service.token_table.withdrawn_records, job)
    return message(Withdrawn(records=found))
