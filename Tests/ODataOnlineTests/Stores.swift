import HTTPTypes
import HttpConversation
import HttpConversationTesting
import ODataOnline

/// A store whose service is scripted by a test.
func store(
    _ version: ODataVersion = .v4, model: ODataModel? = nil,
    options: ODataStoreConfiguration = ODataStoreConfiguration(),
    _ script: @escaping @Sendable (TransportRequest, _ index: Int) throws(ConversationError) -> ScriptedTransport.Answer
) throws -> (ODataStore, ScriptedTransport) {
    let transport = ScriptedTransport { request, index throws(ConversationError) in try script(request, index) }
    let manager = HttpConversationManager(transport: transport)
    let root = "https://service.example/sales"
    return (try ODataStore(at: root, version: version, with: manager, model: model, configuration: options), transport)
}

extension ScriptedTransport.Answer {
    static func json(_ text: String, _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:]) -> Self {
        var fields = fields
        fields[.contentType] = "application/json;odata.metadata=minimal"
        return Self(status, fields, body: text)
    }

    static func xml(_ text: String, _ type: String = "application/xml") -> Self {
        Self(.ok, [.contentType: type], body: text)
    }
}

/// The error that an action throws; nil for none.
func failure(_ action: () async throws -> Void) async -> ODataError? { await thrown(ODataError.self, action) }

extension ODataRows {
    func all() async throws(ODataError) -> [Element] {
        var result: [Element] = []
        for try await row in self { result.append(row) }
        return result
    }
}
