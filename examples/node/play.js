// Plays some moves of Nebula against a bot, looks on while the service thinks, and shows what an error says.
//
//     npm ci
//     node play.js [HOST:PORT]
//
// The proto files are loaded at run time: nothing is generated.
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

const address = process.argv[2] ?? '127.0.0.1:50051';
const TURNS = 8;
const SECONDS = 1000;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const definition = protoLoader.loadSync(['nebula_ai/v1/opponent_service.proto', 'status.proto'], {
  includeDirs: [here('../../proto'), here('.')],
  keepCase: true, // names as in the proto files and in docs/api.md
  longs: String, // seeds have 64 bits, more than a number holds
  enums: String,
  defaults: true,
  oneofs: true,
});
const { OpponentService } = grpc.loadPackageDefinition(definition).nebula_ai.v1;

// All methods are pure: what did not reach the service may be asked again.
const retries = {
  methodConfig: [
    {
      name: [{ service: 'nebula_ai.v1.OpponentService' }],
      retryPolicy: {
        maxAttempts: 5,
        initialBackoff: '0.1s',
        maxBackoff: '2s',
        backoffMultiplier: 2,
        retryableStatusCodes: ['UNAVAILABLE'],
      },
    },
  ],
};
const client = new OpponentService(address, grpc.credentials.createInsecure(), {
  'grpc.service_config': JSON.stringify(retries),
});

// Asks a method, as a promise. A call has a deadline; GetMove ends its search in time for it.
function ask(method, request, seconds = 30) {
  const options = { deadline: Date.now() + seconds * SECONDS };
  return new Promise((resolve, reject) => {
    client[method](request, new grpc.Metadata(), options, (error, response) =>
      error ? reject(error) : resolve(response),
    );
  });
}

// The reports of AnalyzeState, one after the other. Leaving the loop over them cancels the call, which ends the search.
async function* analyze(request, seconds = 30) {
  const call = client.AnalyzeState(request, new grpc.Metadata(), { deadline: Date.now() + seconds * SECONDS });
  try {
    yield* call;
  } finally {
    call.on('error', () => {}); // that it was cancelled is no news
    call.cancel();
  }
}

// What an error says: the messages in its google.rpc.Status, by their names.
function detailsOf(error) {
  const [content] = error.metadata?.get('grpc-status-details-bin') ?? [];
  if (content === undefined) return {};
  const { details } = definition['google.rpc.Status'].deserialize(content);
  return Object.fromEntries(
    details.map(({ type_url: url, value }) => {
      const name = url.split('/').pop();
      return [name, definition[name]?.deserialize(value)];
    }),
  );
}

async function play() {
  let { state } = await ask('CreateState', { game: 'nebula', players: 2, variant: 'basic' });
  for (let turn = 0; turn < TURNS && state.status === 'STATUS_DECISION'; turn++) {
    const packed = { packed: state.packed };
    let move;
    if (state.seat === 0) {
      const { moves } = await ask('ListMoves', { state: packed });
      [move] = moves;
    } else {
      ({ move } = await ask('GetMove', { state: packed, bot: 'novice' }));
    }
    console.log(`seat ${state.seat}: ${move.text}`);
    ({ state } = await ask('ApplyMove', { state: packed, move: { number: move.number } }));
  }
  return state;
}

async function lookOn(state) {
  const request = {
    state: { packed: state.packed },
    limits: { time: { seconds: 300 }, stop_when_decided: false },
    report_interval: { nanos: 200_000_000 },
  };
  let seen = 0;
  for await (const { analysis } of analyze(request, 300)) {
    console.log(`after ${analysis.simulations} simulations: ${analysis.moves[0].move.text}`);
    if (++seen === 3) break;
  }
}

const state = await play();
await lookOn(state);
try {
  await ask('ApplyMove', { state: { packed: state.packed }, move: { text: 'place red 99' } });
} catch (error) {
  const details = detailsOf(error);
  const [violation] = details['google.rpc.BadRequest'].field_violations;
  console.log(`refused: ${grpc.status[error.code]}, ${details['google.rpc.ErrorInfo'].reason}`);
  console.log(`${violation.field}: ${violation.description}`);
}
client.close();
