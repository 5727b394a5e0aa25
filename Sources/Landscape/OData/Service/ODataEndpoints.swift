import HTTPTypes
import HummingbirdCore

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
