import NIOCore
import Synchronization

/// The origin that answers with scripted bytes.
///
/// It reads and records a request's head up to its empty line, and skips the body (`Content-Length` only).
package final class RawOrigin: Service {
    private let scripts = Mutex<[String: WireScript]>([:])

    /// Answers requests for `path` with the script from now on.
    package func respond(path: String, script: WireScript) {
        scripts.withLock { $0[path] = script }
    }

    /// Answers requests for `path` with the bytes from now on.
    package func respond(path: String, bytes: [UInt8], thenClose: Bool) {
        respond(path: path, script: WireScript([.bytes(bytes)] + (thenClose ? [.close] : [])))
    }

    /// Answers requests for `path` with the text's UTF-8 bytes from now on.
    package func respond(path: String, text: String, thenClose: Bool = false) {
        respond(path: path, bytes: Array(text.utf8), thenClose: thenClose)
    }

    /// Forgets all scripts.
    func reset() {
        scripts.withLock { $0 = [:] }
    }

    func listen(_ shared: SharedState) async throws -> ByteListener {
        try await ByteListener.start(.raw, shared: shared) { [self] connection, inbound, _ in
            var reader = RawRequestReader()
            for try await buffer in inbound {
                reader.append(buffer)
                while let request = reader.next() { try await answer(request, on: connection, shared) }
            }
        }
    }

    private func answer(
        _ request: RawRequestReader.Head, on connection: Connection, _ shared: SharedState
    ) async throws {
        let id = shared.record(
            origin: .raw, connection: connection.id, method: request.method, target: request.target,
            fields: request.fields)
        let path = String(request.target.prefix { $0 != "?" })
        if let gate = shared.gates.gate(for: path) { await connection.cancellingWhenGone { await gate.pass() } }
        let script =
            scripts.withLock { $0[path] } ?? WireScript("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        shared.recorder.update(id) { $0.status = script.status }
        try await connection.run(script)
    }
}
