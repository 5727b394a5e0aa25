import HttpC
import TestLandscape

/// Scenes with user name and password.
extension DemoScene {
    static let logins: [DemoScene] = [
        login("basic", "Basic", "RFC 7617: the password in base64", path: "/basic/realm1/page", scheme: "Basic"),
        login(
            "digest-md5", "Digest, MD5", "RFC 7616: the password itself is never sent", path: "/digest/md5/page",
            scheme: "Digest MD5"
        ),
        login(
            "digest-sha256", "Digest, SHA-256", "the same, with a hash of today", path: "/digest/sha256/page",
            scheme: "Digest SHA-256"),
        login(
            "digest-sha512", "Digest, SHA-512-256", "the strongest that the standard has",
            path: "/digest/sha512-256/page",
            scheme: "Digest SHA-512-256"),
        login(
            "strongest", "The strongest of several", "a realm offers Basic and three kinds of Digest",
            path: "/digest/all/page",
            scheme: "Digest SHA-512-256"),
        login(
            "utf8", "UTF-8", "a name and password beyond ASCII", path: "/basic/utf8/page", scheme: "Basic",
            user: "jürgen",
            password: "pässwörd€"),
        DemoScene(
            name: "ahead", title: "Sent ahead",
            explanation: "the second request to the space brings its credential along", play: ahead
        ),
        DemoScene(
            name: "proxy", title: "Through a proxy",
            explanation: "it wants a password of its own, and makes a tunnel for TLS",
            play: proxy),
        DemoScene(
            name: "wrong-password", title: "A wrong password", explanation: "one try; the 401 goes to the caller",
            play: wrongPassword),
    ]

    private static func login(
        _ name: String, _ title: String, _ explanation: String, path: String, scheme: String, user: String = "alice",
        password: String = "wonderland"
    ) -> DemoScene {
        DemoScene(name: name, title: title, explanation: explanation) { stage, timeline in
            let provider = DemoProvider(user, password)
            let response = try await stage.manager(timeline, provider).data(for: stage.request(.secure, path))
            try DemoFailure.unless(response.status == .ok, "the status is \(response.status.code)")
            let known = try DemoStage.member("user", of: response)
            let used = try DemoStage.member("scheme", of: response)
            try DemoFailure.unless(known == user, "the server took us for \(known)")
            try DemoFailure.unless(used == scheme, "the server saw \(used)")
            try DemoFailure.unless(provider.timesAsked == 1, "the person was asked \(provider.timesAsked) times")
            return "the server knows \(known) by \(used)"
        }
    }

    private static func ahead(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let manager = stage.manager(timeline, DemoProvider("alice", "wonderland"))
        for path in ["/digest/sha256/first", "/digest/sha256/second"] {
            let response = try await manager.data(for: stage.request(.main, path))
            try DemoFailure.unless(response.status == .ok, "the status is \(response.status.code)")
        }
        let exchanges = timeline.exchanges
        try DemoFailure.unless(exchanges == 3, "it took \(exchanges) exchanges")
        return "two resources, three exchanges"
    }

    private static func proxy(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let landscape = stage.landscape
        landscape.proxyRule = LandscapeProxyRule(authentication: .digest)
        defer { landscape.proxyRule = LandscapeProxyRule() }
        let person = landscape.proxyRule.user
        let server = try ProxyServer(
            .http, host: "127.0.0.1", port: landscape.port(.proxy),
            login: ProxyLogin(username: person.name, password: person.password))
        let manager = stage.manager(timeline, DemoProvider("alice", "wonderland"))
        manager.update { $0.proxies = .always(server) }
        let response = try await manager.data(for: stage.request(.secure, "/basic/realm1/page"))
        try DemoFailure.unless(response.status == .ok, "the status is \(response.status.code)")
        let records = landscape.proxyRecords
        try DemoFailure.unless(records.last?.user == person.name, "the proxy knows \(records.last?.user ?? "nobody")")
        try DemoFailure.unless(!records.contains { $0.saw("YWxpY2U6") }, "the proxy saw alice's password")
        let arrived = landscape.requests(path: "/basic/realm1/page").flatMap(\.fields).map { $0.name.lowercased() }
        try DemoFailure.unless(!arrived.contains("proxy-authorization"), "the server got what is the proxy's")
        return "the proxy knows \(person.name), the server knows alice, and neither the other's password"
    }

    private static func wrongPassword(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let before = stage.landscape.counters.failedLogins
        let response = try await stage.manager(timeline, DemoProvider("alice", "looking-glass")).data(
            for: stage.request(.main, "/digest/sha256/page"))
        try DemoFailure.unless(response.status == .unauthorized, "the status is \(response.status.code)")
        let failures = stage.landscape.counters.failedLogins - before
        try DemoFailure.unless(failures == 1, "the server counts \(failures) failed logins")
        return "401 after one failed login"
    }
}
