import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Testing

/// Pipes as request bodies: they are opened and read once.
@Suite(.timeLimit(.minutes(1))) struct PipeBodyTests {
    /// The ways to send a file.
    enum Way: CaseIterable {
        case file, source, form

        func body(of file: URL) throws -> RequestBody {
            switch self {
            case .file: .file(file)
            case .source: .source(FileBody(file))
            case .form: .multipart([try .file("f", file)])
            }
        }
    }

    private let bench: DownloadBench

    init() throws { bench = try DownloadBench() }

    /// A pipe with "hello" in it, whose writer is closed.
    private func pipe() throws -> Pipe {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("hello".utf8))
        try pipe.fileHandleForWriting.close()
        return pipe
    }

    private func url(of pipe: Pipe) -> URL { URL(filePath: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)") }

    /// Sends a body to a server that reads it, then demands a signature.
    private func upload(_ body: RequestBody) async -> (code: ConversationError.Code?, bodies: [String]) {
        let transport = ScriptedTransport { request, _ in
            request.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: "X-Sign realm=\"r\""]) : .init(.ok)
        }
        let manager = testManager(transport) { $0.challengeFilters.add(Signer()) }
        let code = await failureCode {
            try await manager.upload(for: HTTPRequest(.put, "https://example.com/"), from: body)
        }
        return (code, transport.bodies.map { String(decoding: $0, as: UTF8.self) })
    }

    @Test(arguments: Way.allCases) func aPipeThatWasReadIsNotSentEmpty(way: Way) async throws {
        let pipe = try pipe()
        let (code, bodies) = await upload(try way.body(of: url(of: pipe)))
        #expect(code == .bodyNotReplayable)
        #expect(bodies.count == 1 && bodies.first?.contains("hello") == true)
        withExtendedLifetime(pipe) {}
    }

    /// The body waits for the pipe's first writer. A second one might never come.
    @Test(arguments: Way.allCases) func aNamedPipeIsNotOpenedAgain(way: Way) async throws {
        let file = bench.url("fifo")
        try #require(mkfifo(file.path, 0o600) == 0)
        // Writes at the first opening. Ends later ones, so that the test fails instead of waiting.
        let writer = Task {
            var text = "hello"
            while !Task.isCancelled {
                let descriptor = open(file.path, O_WRONLY | O_NONBLOCK)
                if descriptor >= 0 {
                    try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: Data(text.utf8))
                    text = ""
                }
                try? await Task.sleep(for: .milliseconds(2))
            }
        }
        defer { writer.cancel() }
        let (code, bodies) = await upload(try way.body(of: file))
        #expect(code == .bodyNotReplayable)
        #expect(bodies.count == 1 && bodies.first?.contains("hello") == true)
    }

    /// Without a writer, and with one that writes nothing.
    @Test(arguments: Way.allCases, [false, true]) func cancellingEndsTheWaitForAPipe(
        way: Way, hasWriter: Bool
    ) async throws {
        let file = bench.url("silent")
        try #require(mkfifo(file.path, 0o600) == 0)
        let writer = hasWriter ? open(file.path, O_RDWR) : -1
        defer { if hasWriter { close(writer) } }
        let uploads = try (0..<12).map { _ in
            let body = try way.body(of: file)
            return Task {
                let stream = try await body.open().stream()
                while try await stream.next() != nil {}
            }
        }
        // Other files are opened meanwhile.
        let other = bench.url("other")
        try Data("x".utf8).write(to: other)
        #expect(try await FileBody(other).open().length == 1)
        for upload in uploads { upload.cancel() }
        for upload in uploads {
            await #expect(throws: (any Error).self) { try await upload.value }
        }
    }

    @Test func aNamedPipeEndsWithItsFirstWriter() async throws {
        let file = bench.url("fifo")
        try #require(mkfifo(file.path, 0o600) == 0)
        let stream = try await FileBody(file).open().stream()
        let writer = open(file.path, O_WRONLY | O_NONBLOCK)
        try #require(writer >= 0)
        close(writer)
        #expect(try await stream.next() == nil)
    }

    /// As after an answer before the first byte.
    @Test(arguments: Way.allCases) func aPipeThatWasNotReadIsSent(way: Way) async throws {
        let pipe = try pipe()
        let body = try way.body(of: url(of: pipe))
        _ = try await body.open()
        let stream = try await body.open().stream()
        var text = ""
        while let chunk = try await stream.next() { text += String(decoding: chunk, as: UTF8.self) }
        #expect(text.contains("hello"))
        withExtendedLifetime(pipe) {}
    }

    /// A transport reads a replayable body again after a kept connection has died.
    @Test func aSecondStreamOfAnOpenedPipeFails() async throws {
        let pipe = try pipe()
        let opened = try await FileBody(url(of: pipe)).open()
        #expect(opened.length == nil)
        #expect(try await opened.stream().next() == Array("hello".utf8))
        let error = await #expect(throws: ConversationError.self) { try await opened.stream().next() }
        #expect(error?.code == .bodyNotReplayable)
        withExtendedLifetime(pipe) {}
    }

    @Test func aPipeIsAOneShotBody() async throws {
        let pipe = try pipe()
        let body = RequestBody.file(url(of: pipe))
        #expect(!body.isRestartable && body.isReplayable)
        _ = try await body.open().stream().next()
        #expect(!body.isReplayable)
        withExtendedLifetime(pipe) {}
    }
}

private struct Signer: ChallengeFilter {
    let handles: Set = [AuthenticationMethod("x-sign", strength: 30)]

    func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) throws -> ChallengeAnswer {
        .authorization(for: challenge) { _ in "X-Sign yes" }
    }
}
