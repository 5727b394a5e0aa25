import HttpC
import TestLandscape

/// Scenes without a login.
extension DemoScene {
    static let plain: [DemoScene] = [
        DemoScene(
            name: "json", title: "A JSON resource", explanation: "the simplest conversation: one exchange", play: json),
        DemoScene(
            name: "tls", title: "TLS", explanation: "the certificate is checked against the landscape's own authority",
            play: tls),
        DemoScene(
            name: "redirects", title: "Redirects over origins",
            explanation: "http → https → https elsewhere; a hand-set X-API-Key stays where it was meant for",
            play: redirects),
        DemoScene(
            name: "http2", title: "HTTP/2",
            explanation: "a server that goes away, refuses streams, and wants HTTP/1.1 once",
            play: multiplexed),
        DemoScene(
            name: "cookies", title: "A cookie session", explanation: "log in with a form, then use the session",
            play: cookies),
    ]

    private static func json(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let response = try await stage.manager(timeline).data(for: stage.request(.main, "/json"))
        try DemoFailure.unless(response.status == .ok, "the status is \(response.status.code)")
        return "\(response.bytes.count) bytes of JSON"
    }

    private static func tls(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let response = try await stage.manager(timeline).data(for: stage.request(.secure, "/json"))
        try DemoFailure.unless(response.status == .ok, "the status is \(response.status.code)")
        return "\(response.bytes.count) bytes over TLS"
    }

    private static func multiplexed(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let manager = stage.manager(timeline)
        let expected = [("goaway", "HTTP/2"), ("refused", "HTTP/2"), ("misdirected", "HTTP/2"), ("http1", "HTTP/1.1")]
        for (fault, version) in expected {
            let response = try await manager.data(for: stage.request(.multiplexed, "/fault/\(fault)", method: .post))
            try DemoFailure.unless(response.status == .ok, "\(fault): the status is \(response.status.code)")
            try DemoFailure.unless(
                response.text == "hello over \(version)\n", "\(fault): the answer is \(response.text)")
        }
        return "each request arrived, over \(Set(expected.map(\.1)).sorted().joined(separator: " and "))"
    }

    private static func redirects(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let last = "%2Fredirect%2Fto%2FsecureOther%3Fpath%3D%2Fecho"
        let key = try HTTPField(checking: "X-API-Key", "demo-key")
        let response = try await stage.manager(timeline).data(
            for: stage.request(.main, "/redirect/to/secure?path=\(last)", fields: [key.name: key.value]))
        try DemoFailure.unless(response.status == .ok, "the status is \(response.status.code)")
        let port = stage.landscape.port(.secureOther)
        try DemoFailure.unless(response.url.origin.port == port, "it ended at \(response.url.origin)")
        let arrived = stage.landscape.requests(path: "/echo", origin: .secureOther)
        try DemoFailure.unless(!arrived.isEmpty, "nothing arrived at \(response.url.origin)")
        try DemoFailure.unless(
            arrived.allSatisfy { $0.values(of: "X-API-Key").isEmpty }, "the key went to \(response.url.origin)")
        return "ended at \(response.url.origin), without the key"
    }

    private static func cookies(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let manager = stage.manager(timeline)
        let type = try HTTPField(checking: "Content-Type", "application/x-www-form-urlencoded")
        let login = try await manager.data(
            for: stage.request(.main, "/session/login", method: .post, fields: [type.name: type.value]),
            body: .text("user=alice&password=wonderland"))
        try DemoFailure.unless(login.status == .ok, "the login answered \(login.status.code)")
        let response = try await manager.data(for: stage.request(.main, "/session/resource"))
        let user = try DemoStage.member("user", of: response)
        try DemoFailure.unless(user == "alice", "the session belongs to \(user)")
        let stranger = try await stage.manager(timeline).data(for: stage.request(.main, "/session/resource"))
        try DemoFailure.unless(stranger.status == .unauthorized, "a stranger got \(stranger.status.code)")
        return "the session is \(user)'s; another session does not see it"
    }
}
