import HTTPTypes
import HummingbirdCore

/// OData services: `/service/LOGIN/VERSION/…`, where LOGIN is `open` or a word of ``OTPVariant`` (`basic`, `bearer`,
/// `saml`), and VERSION `v2` or `v4`; on the mutual origins all of it wants a certificate.
///
/// The same is behind the mobile server, as the back end that an application has there: `/mobile/LOGIN/APPID/VERSION/…`.
///
/// **Data.** ``ODataModel``: customers, orders with lines, products of all types and with media; `Rows` is generated,
/// as many as `?rows=` says (1000). Both versions have the same data. `?page=` is how many a page has.
///
/// **Protocol.** Service document, `$metadata`, `$filter`, `$select`, `$expand`, `$orderby`, `$top`, `$skip`, counts, pages
/// by the server, keys, properties, `$value`, links, tags (`If-Match`, 412, 428), media, operations, `$batch`; JSON, and
/// Atom in V2. Changes want a CSRF token (``ODataRule/needsToken``) except behind `open`.
///
/// **Control.** ``Landscape/odataRule`` with ``ODataFault``, ``Landscape/odataCounters``; the same under `/admin/odata/`.
struct ODataEndpoints: EndpointGroup {
    func register(in table: inout EndpointTable) {
        table.add("service") { exchange in
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
                    exchange.world.odata.counters.count(\.challenges)
                    return response
                }
            }
            return try await ODataVisit(
                exchange: exchange, version: version, root: "/service/\(segments[1])/\(segments[2])/",
                segments: Array(segments.dropFirst(3)), isOpen: isOpen
            ).respond()
        }
    }

    let entries = [
        ContentsEntry("/service/open/v2/, /service/open/v4/", "OData: customers, orders, products, Rows?rows=n&page=n"),
        ContentsEntry("/service/{basic,bearer,saml}/{v2,v4}/", "the same behind a login; changes want a CSRF token"),
        ContentsEntry("/mobile/{basic,bearer,saml}/com.example.app/{v2,v4}/", "the same behind the mobile server"),
    ]
}
