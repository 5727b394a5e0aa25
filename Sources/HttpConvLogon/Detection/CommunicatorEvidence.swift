import HTTPTypes
import HttpConversation

/// The fields, cookies and realms of an answer that only these servers set. A page with the status 200, as from a
/// captive portal, proves nothing.
struct CommunicatorEvidence: Sendable {
    let status: Int
    private let fields: Set<String>
    private let cookies: [String]
    private let realms: [String]

    init(_ response: HTTPResponse) {
        status = response.status.code
        fields = Set(response.headerFields.map { $0.name.canonicalName })
        cookies = response.headerFields[values: .setCookie].map { value in
            String(value.prefix { $0 != "=" && $0 != ";" }).lowercased()
        }
        realms = OfferedChallenge.offered(by: response).compactMap { $0.realm?.lowercased() }
    }

    /// Whether the answer fits the kind of server. A failing server (5xx) fits none.
    func fits(_ communicator: Communicator) -> Bool {
        guard status < 500 else { return false }
        return communicator == .gateway ? isGateway : isMobileServer
    }

    private var isMobileServer: Bool {
        let names = fields.union(cookies)
        return names.contains { $0.hasPrefix("x-smp-") || $0.hasPrefix("x-sup-") }
            || fields.contains("com.sap.cloud.security.login")
    }

    private var isGateway: Bool {
        guard !isMobileServer else { return false }
        return fields.contains { $0.hasPrefix("sap-") }
            || cookies.contains { $0.hasPrefix("sap_sessionid_") || $0 == "sap-usercontext" || $0 == "mysapsso2" }
            || realms.contains { $0.hasPrefix("sap netweaver") }
    }

    /// A sentence for a probe that did not fit.
    var text: String {
        status < 500
            ? "the status \(status), without any field or cookie of such a server"
            : "the status \(status): the server fails"
    }
}
