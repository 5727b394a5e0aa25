import HTTPTypes
import HummingbirdCore

/// A mobile server: `/mobile/FIRST/…`, where FIRST is the login by the words of ``MobileLogin`` (`basic`,
/// `bearer`, `saml`, `saml-otp`, `certificate`).
///
/// **Root.** `/mobile/basic/`, say. Below it `odata/applications/VERSION/APPID/Connections` (v1 to v4, latest), `bundles/APPID`,
/// `mobileservices/…` (settings exchange, traces, the end of sessions), and `APPID/…` for the back end that it stands for.
/// The applications are ``MobileServer/applications``.
///
/// The same server is at the root of all origins but the other ones, with Basic, and behind a relay server:
/// `/ias_relay_server/client/rs_client.dll/farm1/`, and behind a reverse proxy: `/reverse/`. On the other origins there is a gateway, `/sap/bc/ping`.
///
/// **Login.** What is asked for without a session is challenged; whoever passes gets one (`X-SMP-SESSID`, for the origin).
/// After `public/` nobody is asked, and the one open application alone is there.
///
/// **Connections** belong to a user and an application; others' do not exist. A new one has the id that `X-SMP-APPCID`
/// names, as field or cookie, else one of its own; answers set the cookie. JSON or Atom by `Accept`, and by the type of what
/// is sent. What a request's field says must not contradict its URL.
///
/// **Control.** ``Landscape/mobileRule`` with ``MobileFault``, ``Landscape/mobileCounters``,
/// ``Landscape/deleteMobileConnections()``, ``Landscape/expireMobileSessions()``, the gate `mobile:connections`; the same
/// under `/admin/mobile/`.
struct MobileEndpoints: EndpointGroup {
    func register(in table: inout EndpointTable) {
        table.add("mobile") { try await MobileVisit($0).respond() }
        table.add("ias_relay_server") { exchange in
            if let wrong = Self.fault(of: .relay, exchange) { return wrong }
            guard exchange.segments.starts(with: Self.farm) else { return .text("no such farm\n", status: .notFound) }
            let visit = MobileVisit(exchange, login: "basic", below: Self.farm.joined(separator: "/") + "/")
            return try await visit.respond()
        }
        table.add("reverse") { exchange in
            if let wrong = Self.fault(of: .proxy, exchange) { return wrong }
            return try await MobileVisit(exchange, login: "basic", below: "reverse/").respond()
        }
        for segment in ["odata", "bundles", "mobileservices"] + MobileServer.applications {
            table.add(segment) { exchange in
                if let wrong = Self.fault(of: .server, exchange) { return wrong }
                guard !Self.isGateway(exchange) else { return MobileVisit.nothing }
                return try await MobileVisit(exchange, login: "basic", below: "").respond()
            }
        }
    }

    private static let farm = ["ias_relay_server", "client", "rs_client.dll", "farm1"]

    private static func fault(of front: MobileFront, _ exchange: ServerExchange) -> Response? {
        exchange.world.mobile.rule.fronts[front]?.response(of: front, exchange)
    }

    /// A port is a mobile server's or a gateway's.
    private static func isGateway(_ exchange: ServerExchange) -> Bool {
        [.other, .secureOther].contains(exchange.origin)
    }

    /// What a gateway answers below `/sap/bc/`, which is nowhere else; nil: another path.
    static func gateway(_ exchange: ServerExchange) -> Response? {
        guard exchange.segments.starts(with: ["sap", "bc"]) else { return nil }
        if let wrong = fault(of: .gateway, exchange) { return wrong }
        guard isGateway(exchange) else { return MobileVisit.nothing }
        let realm = BasicRealm(realm: "SAP NetWeaver Application Server [LND/100]")
        guard realm.authenticate(exchange) != nil else { return realm.refusal(to: exchange) }
        guard exchange.path == "/sap/bc/ping" else { return MobileVisit.nothing }
        return Response.text("Server reached successfully.\n")
            .adding(.setCookie, "sap-usercontext=sap-client=\(exchange.parameter("sap-client") ?? "100"); Path=/")
    }

    let entries = [
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
        ContentsEntry("applications", MobileServer.applications.joined(separator: ", ") + " (open)"),
    ]
}
