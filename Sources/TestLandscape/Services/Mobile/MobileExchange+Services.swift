import HTTPTypes
import HummingbirdCore
import NIOCore

/// The services of a mobile server besides registration.
extension MobileExchange {
    static let bundleBytes = [UInt8]((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private struct BackEndAnswer: Encodable {
        let user: String
        let application: String
        let connection: String?
        let device: String?
        let isRegistered: Bool
    }

    /// The back end behind the server. It gets the user and the connection of a request.
    func backEnd(_ user: String, _ application: String) throws -> Response {
        let isRegistered = named.flatMap { server.connections.connection($0, of: user, in: application) } != nil
        return try .json(
            BackEndAnswer(
                user: user, application: exchange.field("X-SMP-APPID") ?? application, connection: named,
                device: exchange.field("X-SMP-DEVICEID"), isRegistered: isRegistered))
    }

    /// `bundles/APPID` or `bundles/APPID/App:1.0`.
    func bundle() -> Response {
        guard segments.count > 1, MobileServer.applications.contains(segments[1]), exchange.method == "GET",
            segments.count == 2 || segments[2] == "App:1.0"
        else { return Self.nothing }
        server.counters.count(\.bundles)
        var response = Response(
            status: .ok, headers: [.contentType: "application/octet-stream"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: Self.bundleBytes)))
        if let name = HTTPField.Name("X-BUNDLE-EXTENSION") { response.headers[name] = ".zip" }
        return response
    }

    /// Settings to read, and a sink for traces, at any path, because clients can be given other paths.
    func storage() async throws -> Response {
        if segments.contains("Storage") {
            guard exchange.method == "GET", segments.suffix(2) == ["mobileservices", "settingsExchange"] else {
                return Self.nothing
            }
            let body = ResponseBody(byteBuffer: ByteBuffer(string: server.rule.exchangedSettings))
            return Response(status: .ok, headers: [.contentType: "application/json;charset=utf-8"], body: body)
        }
        guard segments.contains("clientlogs") || segments.contains("btx"), exchange.method == "POST" else {
            return Self.nothing
        }
        let digest = try await BodyDigest.read(try await exchange.body())
        if server.rule.properties["UploadLogs"] == .flag(false) {
            return .text("an administrator wants no logs\n", status: .forbidden)
        }
        server.receive(
            MobileUpload(
                path: segments.joined(separator: "/"), contentType: exchange.field("Content-Type") ?? "",
                length: digest.length, sha256: digest.sha256))
        return .text("thank you\n", status: .created)
    }
}
