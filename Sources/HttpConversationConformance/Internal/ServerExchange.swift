import HTTPTypes
import HttpConversation

/// A request as a server sees it, and the actions before its answer.
struct ServerExchange: Sendable {
    typealias Handler = @Sendable (ServerExchange) async throws -> ConformanceReply

    let method: String
    /// The path and the query.
    let path: String
    /// The fields as they arrived, with names in lower case.
    let fields: [(name: String, value: String)]
    /// The value of `Host` or `:authority`; of several, all.
    let authority: String
    /// The number of the connection, and of the request on it, both from 0.
    let place: (connection: Int, request: Int)
    /// Reads the whole request body.
    let body: @Sendable () async throws -> [UInt8]
    /// Sends an interim response.
    let interim: @Sendable (_ status: Int, HTTPFields) async throws -> Void

    init(
        method: String, path: String, fields: [(name: String, value: String)], authority: String? = nil,
        place: (connection: Int, request: Int),
        body: @escaping @Sendable () async throws -> [UInt8],
        interim: @escaping @Sendable (Int, HTTPFields) async throws -> Void
    ) {
        self.method = method
        self.path = path
        self.fields = fields
        self.authority = authority ?? fields.filter { $0.name == "host" }.map(\.value).joined(separator: "|")
        self.place = place
        self.body = body
        self.interim = interim
    }

    init(inProcess request: TransportRequest) {
        method = request.method.rawValue
        path = request.target.requestTarget
        fields = request.headerFields.map { ($0.name.canonicalName, $0.value) }
        authority = request.options.hostField?.value ?? request.target.origin.authority
        place = (0, 0)
        body = {
            guard let stream = try await request.body?.open().stream() else { return [] }
            var bytes: [UInt8] = []
            while let chunk = try await stream.next() { bytes += chunk }
            return bytes
        }
        interim = { _, _ in }
    }

    /// All values of a field, in order.
    func values(_ name: String) -> [String] { fields.filter { $0.name == name.lowercased() }.map(\.value) }
}
