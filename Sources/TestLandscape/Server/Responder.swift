import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1

/// Passes each request of an origin through gates and faults to its endpoint.
struct Responder: Sendable {
    let shared: SharedState
    private let table: EndpointTable

    init(shared: SharedState) {
        self.shared = shared
        table = EndpointTable(shared.services)
    }

    func respond(to request: Request, writer: consuming ResponseWriter, on channel: any Channel) async throws {
        guard let connection = shared.connections.connection(for: channel),
            let incoming = connection.dequeue()
        else { throw ChannelError.alreadyClosed }
        let exchange = ServerExchange(request: request, incoming: incoming, connection: connection, shared: shared)
        shared.counters.begin()
        defer { shared.counters.end() }

        await hold(exchange)
        if connection.isGone { throw ChannelError.inputClosed }
        let faults = shared.faults.take(path: exchange.path, origin: exchange.origin)
        for fault in faults {
            guard case .delay(let duration) = fault.kind else { continue }
            await connection.cancellingWhenGone { try? await Task.sleep(for: duration) }
        }
        if let script = faults.lazy.compactMap({ WireScript(fault: $0) }).first {
            return try await run(script, for: exchange)
        }
        let response = try await endpointResponse(exchange)
        if let script = exchange.wireScript { return try await run(script, for: exchange) }
        try await writer.write(response: response.head, body: response.body)
        await finish(exchange, response: response, faults: faults)
    }

    private func hold(_ exchange: ServerExchange) async {
        guard let gate = shared.gates.gate(for: exchange.path) else { return }
        await exchange.connection.cancellingWhenGone { await gate.pass() }
    }

    private func endpointResponse(_ exchange: ServerExchange) async throws -> Response {
        var response: Response
        do {
            if let page = try await revocationPage(exchange) {
                response = page
            } else {
                response = try await table.respond(to: exchange)
            }
        } catch let error as HTTPParserError {
            throw error
        } catch {
            response = .text("the endpoint failed: \(error)\n", status: .internalServerError)
        }
        response.headers[.date] = shared.httpDate.text(for: shared.clock.date)
        return exchange.method == "HEAD" ? response.createHeadResponse() : response
    }

    /// The answer to a revoked certificate, as nginx gives it: the handshake has succeeded.
    private func revocationPage(_ exchange: ServerExchange) async throws -> Response? {
        guard exchange.origin == .mutual || exchange.origin == .mutualOptional,
            let certificate = try await exchange.connection.clientCertificate(),
            shared.certificates.isRevoked(certificate)
        else { return nil }
        var response = Response.text(
            "<html><head><title>400 The SSL certificate error</title></head></html>\r\n", status: .badRequest)
        response.headers[.contentType] = "text/html"
        return response
    }

    private func run(_ script: WireScript, for exchange: ServerExchange) async throws {
        shared.answered(on: exchange.connection, status: script.status)
        try await exchange.connection.run(script)
    }

    /// Ends the connection after `Connection: close`, and for some faults.
    private func finish(_ exchange: ServerExchange, response: Response, faults: [Fault]) async {
        let connection = exchange.connection
        for fault in faults {
            switch fault.kind {
            case .closeAfterResponse: await connection.close()
            case .closeWhenIdle(let duration): scheduleClose(connection, after: duration)
            case .bytesAfterResponse(let bytes): try? await connection.write(bytes)
            default: break
            }
        }
        if response.headers[.connection] == "close" {
            // Half-closing lets the client read the answer while the rest of its body is read.
            do { try await connection.channel.close(mode: .output) } catch { await connection.close() }
        }
    }

    private func scheduleClose(_ connection: Connection, after duration: Duration) {
        let requests = connection.receivedRequests
        connection.channel.eventLoop.scheduleTask(in: TimeAmount(duration)) {
            if connection.receivedRequests == requests { connection.channel.close(promise: nil) }
        }
    }
}
