import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `…/Connections` and `…/Connections('id')` of one application.
struct MobileConnections {
    let call: MobileExchange
    let user: String
    let application: String

    private var exchange: ServerExchange { call.exchange }
    private var server: MobileServer { call.server }
    private var version: String { call.segments[2] }

    func respond() async throws -> Response {
        await exchange.wait(at: MobileServer.gate)
        if exchange.connection.isGone { throw ChannelError.inputClosed }
        guard call.segments.count == 5 else { return MobileExchange.nothing }
        let last = call.segments[4]
        if last == "Connections" {
            guard exchange.method == "POST" else { return error(405, "POST, please") }
            return try await register()
        }
        guard last.hasPrefix("Connections('"), last.hasSuffix("')") else { return MobileExchange.nothing }
        let id = last.dropFirst(13).dropLast(2).replacingOccurrences(of: "''", with: "'")
        if let field = exchange.field(MobileExchange.connectionName), field != id {
            server.counters.count(\.contradictions)
            return error(400, "the field names another connection")
        }
        guard let connection = server.connections.connection(id, of: user, in: application) else {
            server.counters.count(\.unknown)
            return error(404, "there is no connection of that id")
        }
        return try await respond(about: connection)
    }

    private func respond(about connection: MobileConnectionStore.Connection) async throws -> Response {
        switch exchange.method {
        case "GET":
            server.counters.count(\.reads)
            return try answer(connection, status: .ok)
        case "DELETE":
            server.connections.remove(connection.id)
            server.counters.count(\.deletions)
            return .text("deleted\n")
        case let method where server.rule.updateMethods.contains(method):
            guard let entity = try await entity() else { return error(400, "that is no entity") }
            let refused = entity.properties.keys.filter { Self.readOnly.contains($0) }.sorted()
            guard refused.isEmpty else { return error(400, "read-only: \(refused.joined(separator: ", "))") }
            server.connections.update(
                connection.id, with: entity, replaces: method == "PUT" && server.rule.putReplaces)
            server.counters.count(\.updates)
            return Response(status: .noContent)
        default: return error(405, "not by this method")
        }
    }

    private func register() async throws -> Response {
        guard let entity = try await entity() else { return error(400, "that is no entity") }
        let connection = server.connections.add(
            entity, named: call.named, of: user, in: application, at: exchange.shared.clock.date)
        server.counters.count(\.registrations)
        var response = try answer(connection, status: .created)
        response.headers[.location] = uri(connection.id)
        guard server.rule.setsConnectionCookie else { return response }
        return response.adding(.setCookie, "\(MobileExchange.connectionName)=\(connection.id); Path=/")
    }

    private func entity() async throws -> MobileEntity? {
        let body = try await exchange.body().collect(upTo: 65_536)
        return MobileEntity.read(Array(body.readableBytesView), contentType: exchange.field("Content-Type") ?? "")
    }

    // MARK: Answers

    private static let readOnly: Set<String> = [
        "ETag", "ApplicationConnectionId", "UserName", "CreatedAt", "ConnectionLogLevel", "PasswordPolicyMinLength",
        "ProxyApplicationEndpoint", "CustomizationBundleId",
    ]

    private func uri(_ id: String) -> String {
        "\(exchange.ownBase)\(call.root)odata/applications/\(version)/\(application)/Connections('\(id)')"
    }

    private func answer(
        _ connection: MobileConnectionStore.Connection, status: HTTPResponse.Status
    ) throws -> Response {
        let rule = server.rule
        if let response = rule.fault?.response(status: status) { return response }
        var properties = rule.properties.merging(connection.properties) { $1 }
        properties.merge(rule.fault?.properties ?? [:]) { $1 }
        properties["UserName"] = .text(user)
        properties["ETag"] = .text("\(connection.changes)")
        properties["CreatedAt"] = .date(Int(connection.created.timeIntervalSince1970 * 1000))
        if rule.namesConnection { properties["ApplicationConnectionId"] = .text(connection.id) }
        let entity = MobileEntity(
            uri: uri(connection.id), properties: properties, capabilities: connection.capabilities)
        let expands = exchange.parameter("$expand")?.split(separator: ",").map(String.init) ?? []
        return try entity.response(status: status, isAtom: isAtom, expands: expands)
    }

    private var isAtom: Bool { exchange.field("Accept")?.contains("json") != true }

    /// An error in the format of OData 2.0.
    private func error(_ status: Int, _ text: String) -> Response {
        let isAtom = isAtom
        let body =
            isAtom
            ? "<?xml version=\"1.0\"?><error xmlns=\"\(MobileEntity.metadata)\"><code/><message xml:lang=\"en\">"
                + "\(Markup.text(text))</message></error>"
            : "{\"error\":{\"code\":\"\",\"message\":{\"lang\":\"en\",\"value\":\"\(text)\"}}}"
        return Response(
            status: HTTPResponse.Status(code: status),
            headers: [.contentType: isAtom ? "application/xml" : "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }
}
