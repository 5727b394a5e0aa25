import HTTPTypes
import HummingbirdCore
import Synchronization

/// OData services: `/service/LOGIN/VERSION/…`. LOGIN is `open` or a word of ``OTPVariant`` (`basic`, `bearer`, `saml`),
/// and VERSION is `v2` or `v4`. On the mutual origins all of them require a certificate.
///
/// The same services are the back end of the mobile server's applications: `/mobile/LOGIN/APPID/VERSION/…`.
///
/// **Data.** ``ODataModel``: customers, orders with lines, products with properties of all types and with media. `Rows`
/// are generated, and `?rows=` sets their number (1000). Both versions have the same data. `?page=` sets the page size.
///
/// **Protocol.** Service document, `$metadata`, `$filter`, `$select`, `$expand`, `$orderby`, `$top`, `$skip`, counts,
/// pages by the server, keys, properties, `$value`, links, tags (`If-Match`, 412, 428), media, operations, `$batch`;
/// JSON, and Atom in V2. Changes require a CSRF token (``ODataRule/needsToken``), except below `open`.
///
/// **Control.** ``Landscape/odataRule`` with ``ODataFault``, and ``Landscape/odataCounters``. The same controls are
/// below `/admin/odata/`.
final class ODataServer: Service {
    let counters = CounterSet(ODataCounters())
    let tokens = CSRFTokenStore()
    private let data = Mutex(ODataData())
    private let currentRule: Mutex<ODataRule>

    init(rule: ODataRule) { currentRule = Mutex(rule) }

    var rule: ODataRule {
        get { currentRule.withLock { $0 } }
        set { currentRule.withLock { $0 = newValue } }
    }

    /// Answers a request. Reads run on a copy, and changes run one after the other.
    func answer(_ call: ODataRequest, by service: ODataService) -> ODataAnswer {
        guard call.method != "GET", call.method != "HEAD" else {
            var copy = data.withLock { $0 }
            return service.answer(call, &copy)
        }
        return data.withLock { service.answer(call, &$0) }
    }

    /// Counts a page. Returns whether the sessions end with it.
    func countPage() -> Bool {
        counters.count(\.pages)
        return currentRule.withLock { rule in
            guard let left = rule.expiresAfterPages else { return false }
            rule.expiresAfterPages = left > 1 ? left - 1 : nil
            return left <= 1
        }
    }

    func endSessions() { tokens.endSessions() }

    func reset() {
        data.withLock { $0 = ODataData() }
        tokens.endSessions()
        counters.reset()
    }

    // MARK: Endpoints and commands

    var name: String { "odata" }
    var counts: (any Encodable)? { counters.current }

    func register(in table: inout EndpointTable) {
        table.add("service") { [self] exchange in
            let segments = exchange.segments
            guard segments.count > 2, let version = ODataVersion(rawValue: segments[2]) else {
                return .text("/service/LOGIN/v2/ or /service/LOGIN/v4/\n", status: .notFound)
            }
            let isOpen = segments[1] == "open"
            if !isOpen {
                guard let login = OTPVariant(segments[1]) else {
                    return .text("there is no such login\n", status: .notFound)
                }
                if case .challenged(let response) = try await login.progress(exchange) {
                    counters.count(\.challenges)
                    return response
                }
            }
            return try await ODataExchange(
                exchange: exchange, version: version, root: "/service/\(segments[1])/\(segments[2])/",
                segments: Array(segments.dropFirst(3)), isOpen: isOpen
            ).respond()
        }
    }

    let contents = [
        ContentsEntry("/service/open/v2/, /service/open/v4/", "OData: customers, orders, products, Rows?rows=n&page=n"),
        ContentsEntry("/service/{basic,bearer,saml}/{v2,v4}/", "the same behind a login; changes want a CSRF token"),
        ContentsEntry("/mobile/{basic,bearer,saml}/com.example.app/{v2,v4}/", "the same behind the mobile server"),
    ]

    func perform(_ command: String, _ exchange: ServerExchange) throws -> (any Encodable)? {
        switch command {
        case "fault": rule.fault = try exchange.choice("kind")
        case "rule":
            var rule = rule
            rule.pageSize = exchange.number("page", default: rule.pageSize, in: 1...10_000)
            if let text = exchange.parameter("tags") { rule.needsTags = text != "false" }
            if let text = exchange.parameter("token") { rule.needsToken = text != "false" }
            if exchange.parameter("expire-after") != nil {
                let pages = exchange.number("expire-after", default: 0, in: 0...1_000_000)
                rule.expiresAfterPages = pages == 0 ? nil : pages
            }
            self.rule = rule
        case "tokens/expire": tokens.expireTokens()
        case "reset": reset()
        default: throw AdminFailure.unknown
        }
        return nil
    }

    var commands: [ContentsEntry] {
        [
            ContentsEntry("/admin/odata/counters", "GET: what was counted"),
            ContentsEntry(
                "/admin/odata/rule?page=&tags=&token=&expire-after=", "POST: page size, needs of changes, sessions end"),
            ContentsEntry(
                "/admin/odata/fault?kind=, …/tokens/expire, …/reset", "POST: the fault of answers; the data anew"),
        ]
    }
}
