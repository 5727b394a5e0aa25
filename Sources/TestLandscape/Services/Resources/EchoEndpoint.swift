import HummingbirdCore
import NIOCore

/// `/echo`: the request as JSON.
struct EchoEndpoint: Service {
    /// The maximum bytes of a body in the answer. Longer bodies are only measured.
    private static let bodyLimit = 4096

    private struct Echo: Encodable {
        let method: String
        let target: String
        let path: String
        let query: [HeaderField]
        let origin: LandscapeOrigin
        let connection: Int
        let fields: [HeaderField]
        let body: BodyDigest
        /// The body as text, if it is short and UTF-8.
        let text: String?
    }

    func register(in table: inout EndpointTable) {
        table.add("echo") { exchange in
            var kept: [UInt8] = []
            let digest = try await BodyDigest.read(try await exchange.body()) { buffer in
                if kept.count <= Self.bodyLimit { kept += buffer.readableBytesView }
            }
            let text = digest.length <= Self.bodyLimit ? String(validating: kept, as: UTF8.self) : nil
            return try .json(
                Echo(
                    method: exchange.method, target: exchange.incoming.target, path: exchange.path,
                    query: exchange.query.map { HeaderField(name: $0.name, value: $0.text) },
                    origin: exchange.origin, connection: exchange.connection.id,
                    fields: exchange.incoming.fields, body: digest, text: text))
        }
    }

    let contents = [ContentsEntry("/echo", "the request as JSON: method, target, fields in order, digest of the body")]
}
