import HttpC
import TestLandscape

/// Scenes with uploads.
extension DemoScene {
    static let uploads: [DemoScene] = [
        DemoScene(
            name: "upload", title: "An upload through a 401",
            explanation: "307 to another origin, which wants a login: all of it arrives",
            play: upload),
        DemoScene(
            name: "post-once", title: "POST, 303, 401", explanation: "what was posted is posted once", play: postOnce),
        DemoScene(
            name: "one-shot", title: "A body that exists once",
            explanation: "the server is asked before it is sent; a login after that would be an error",
            play: oneShot),
    ]

    private static func upload(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let manager = stage.manager(timeline, DemoProvider("alice", "wonderland"))
        let response = try await manager.data(
            for: stage.request(.main, "/redirect/to/secure?path=/upload/basic&status=307", method: .put),
            body: .bytes(bytes))
        try DemoFailure.unless(response.status == .ok, "the status is \(response.status.code)")
        let direct = try await manager.data(for: stage.request(.main, "/upload", method: .put), body: .bytes(bytes))
        let length = try DemoStage.member("length", of: response)
        try DemoFailure.unless(length == "\(bytes.count)", "\(length) bytes arrived")
        let hash = try DemoStage.member("sha256", of: response)
        let expected = try DemoStage.member("sha256", of: direct)
        try DemoFailure.unless(hash == expected, "what arrived is something else")
        return "\(length) bytes, SHA-256 \(hash.prefix(12))…"
    }

    private static func postOnce(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let response = try await stage.manager(timeline, DemoProvider("alice", "wonderland")).data(
            for: stage.request(.main, "/post-303-401", method: .post), body: .text("once"))
        try DemoFailure.unless(response.status == .ok, "the status is \(response.status.code)")
        let posts = stage.landscape.requests(path: "/post-303-401", method: "POST").count
        try DemoFailure.unless(posts == 1, "\(posts) posts arrived")
        return "one POST, then the page behind the login"
    }

    private static func oneShot(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let provider = DemoProvider("alice", "wonderland")
        let chunks = AsyncStream<[UInt8]> { continuation in
            for _ in 0..<4 { continuation.yield([UInt8](repeating: 7, count: 1000)) }
            continuation.finish()
        }
        do throws(ConversationError) {
            let manager = stage.manager(timeline, provider)
            let url = stage.landscape.urlString(.main, "/upload/basic")
            let response = try await manager.data(for: try HTTPRequest(.put, url), body: .oneShot(chunks))
            // A server that refuses before it reads anything leaves the body unused, so it is sent after the login.
            if response.status == .ok { return "the login came before the body" }
            throw ConversationError(.internalInconsistency, "the status is \(response.status.code)")
        } catch {
            try DemoFailure.unless(error.code == .bodyNotReplayable, error.message)
            try DemoFailure.unless(error.challenge != nil, "the error does not carry the challenge")
            try DemoFailure.unless(provider.timesAsked == 0, "somebody was asked in vain")
            return "bodyNotReplayable, with the challenge in it"
        }
    }
}
