import HTTPTypes
import HummingbirdCore

/// A mobile server: `/mobile/FIRST/…`. FIRST is the login in the words of ``MobileLogin`` (`basic`, `bearer`, `saml`,
/// `saml-otp`, `certificate`).
///
/// **Root.** For example `/mobile/basic/`. Below it are `odata/applications/VERSION/APPID/Connections` (v1 to v4,
/// latest), `bundles/APPID`, `mobileservices/…` (settings exchange, traces, logout), `SAMLAuthLauncher` (the finish
/// endpoint of SAML2, also behind the relay server and the reverse proxy), and `APPID/…` for the back end.
/// The applications are ``MobileServer/applications``.
///
/// All origins except ``LandscapeOrigin/other`` and ``LandscapeOrigin/secureOther`` have the same server with Basic at
/// their root, behind a relay server (`/ias_relay_server/client/rs_client.dll/farm1/`) and behind a reverse proxy
/// (`/reverse/`). The latter two have a gateway, `/sap/bc/ping`.
///
/// **Login.** A request without a session is challenged. A successful login begins a session (`X-SMP-SESSID`, for the
/// origin). Paths below `public/` need no login, and only have the open application.
///
/// **Connections** belong to a user and an application, and are invisible to others. A new one gets the id in
/// `X-SMP-APPCID`, as field or cookie, or else a new id. Answers set the cookie. Answers are JSON or Atom by `Accept`,
/// and request bodies by their type. The field of a request must not contradict its URL.
///
/// **Control.** ``Landscape/mobileRule`` with ``MobileFault``, ``Landscape/mobileCounters``,
/// ``Landscape/deleteMobileConnections()``, ``Landscape/expireMobileSessions()``, and the gate `mobile:connections`.
/// The same controls are below `/admin/mobile/`.
extension MobileServer {
    func register(in table: inout EndpointTable) {
        table.add(".well-known") { MobileDiscovery.answer($0) }
        table.add("sap") { [self] in gateway($0) }
        table.add("mobile") { try await MobileExchange($0).respond() }
        table.add("ias_relay_server") { [self] exchange in
            if let wrong = fault(of: .relay, exchange) { return wrong }
            guard exchange.segments.starts(with: Self.farm) else { return .text("no such farm\n", status: .notFound) }
            let call = MobileExchange(exchange, login: "basic", below: Self.farm.joined(separator: "/") + "/")
            return try await call.respond()
        }
        table.add("reverse") { [self] exchange in
            if let wrong = fault(of: .proxy, exchange) { return wrong }
            return try await MobileExchange(exchange, login: "basic", below: "reverse/").respond()
        }
        for segment in ["odata", "bundles", "mobileservices"] + Self.applications {
            table.add(segment) { [self] exchange in
                if let wrong = fault(of: .server, exchange) { return wrong }
                guard !Self.isGateway(exchange) else { return MobileExchange.nothing }
                return try await MobileExchange(exchange, login: "basic", below: "").respond()
            }
        }
    }

    private static let farm = ["ias_relay_server", "client", "rs_client.dll", "farm1"]

    private func fault(of front: MobileFront, _ exchange: ServerExchange) -> Response? {
        rule.fronts[front]?.response(of: front, exchange)
    }

    /// Whether the origin has a gateway. The others have a mobile server.
    private static func isGateway(_ exchange: ServerExchange) -> Bool {
        [.other, .secureOther].contains(exchange.origin)
    }

    /// The gateway's answer below `/sap/bc/`; nil for another path.
    private func gateway(_ exchange: ServerExchange) -> Response? {
        guard exchange.segments.starts(with: ["sap", "bc"]) else { return nil }
        if let wrong = fault(of: .gateway, exchange) { return wrong }
        guard Self.isGateway(exchange) else { return MobileExchange.nothing }
        let realm = BasicRealm(realm: "SAP NetWeaver Application Server [LND/100]")
        guard realm.authenticate(exchange) != nil else { return realm.refusal(to: exchange) }
        guard exchange.path == "/sap/bc/ping" else { return MobileExchange.nothing }
        let client = exchange.field("sap-client") ?? exchange.parameter("sap-client") ?? "100"
        return Response.text("Server reached successfully.\n")
            .adding(.setCookie, "sap-usercontext=sap-client=\(client); Path=/")
    }

    var contents: [ContentsEntry] {
        [
            ContentsEntry("/mobile/basic/…, /mobile/bearer/…, /mobile/saml/…", "a mobile server's root, by its login"),
            ContentsEntry("/mobile/saml-otp/…, /mobile/certificate/…", "with a one-time code as well; by certificate"),
            ContentsEntry(
                "…/[public/]odata/applications/VERSION/APPID/Connections",
                "POST registers; GET, PUT, MERGE, PATCH, DELETE ('id')"),
            ContentsEntry("…/[public/]bundles/APPID/[NAME:VERSION]", "the bundle App:1.0 of 100,000 bytes"),
            ContentsEntry("…/mobileservices/sessions/logout", "POST: ends the session"),
            ContentsEntry(
                "…/mobileservices/application/APPID/Storage/…, …/clientlogs/…", "settings as JSON; traces by POST"),
            ContentsEntry("…/APPID/…", "the back end: who asks, by which connection"),
            ContentsEntry(
                "/odata/…, /ias_relay_server/client/rs_client.dll/farm1/…, /reverse/…",
                "the same, directly, behind a relay server, behind a reverse proxy"),
            ContentsEntry("/.well-known/mobile-logon", "where the mobile server of a domain is, as JSON"),
            ContentsEntry("/sap/bc/ping", "a gateway, on the other origins"),
            ContentsEntry("applications", Self.applications.joined(separator: ", ") + " (open)"),
        ]
    }
}
