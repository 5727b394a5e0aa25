import Foundation
import HttpC
import HttpConvLogon
import MobileServices
import TestLandscape
import Testing

/// The upload of a transcript to the registered mobile server.
@Suite("Upload of a trace", .timeLimit(.minutes(1))) struct TraceUploadTests {
    /// The transcript of a back end's request with a new login: it has passed a password, cookies and the connection.
    private func transcript(_ bench: LogonBench, _ logon: Logon) async throws -> Transcript {
        let recorder = TranscriptRecorder()
        var configuration = bench.configuration
        configuration.add(recorder)
        configuration.apply(logon.configurator)
        bench.landscape.expireMobileSessions()
        let manager = HttpConversationManager(transport: bench.transport, configuration: configuration)
        #expect(try await bench.backEnd(manager).user == "alice")
        #expect(recorder.transcript.statuses.last == 200)
        return recorder.transcript
    }

    @Test func uploaded() async throws {
        try await withLogon { bench in
            let logon = try bench.logon()
            #expect(await logonCode { try await logon.uploadTrace(Transcript()) } == .operationNotAllowed)
            // Before there is a vault, and after.
            try await logon.register(bench.input())
            try await logon.uploadTrace(try await transcript(bench, logon))
            try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
            let trace = try await transcript(bench, logon)
            try await logon.uploadTrace(trace)
            try await logon.uploadTrace(trace, path: "mobileservices/btx/{appid}")
            let uploads = bench.landscape.mobileUploads
            let id = LogonBench.applicationID
            #expect(
                uploads.dropFirst().map(\.path) == [
                    "mobileservices/application/\(id)/clientlogs/v1/runtime/log/application/\(id)",
                    "mobileservices/btx/\(id)",
                ])
            #expect(uploads.map(\.contentType) == Array(repeating: "text/plain; charset=utf-8", count: 3))
            #expect(uploads.last?.length == trace.description.utf8.count && trace.entries.count > 5)
            #expect(trace.description.contains("orders"))
            let login = Data("alice:wonderland".utf8).base64EncodedString()
            let connection = try #require(bench.landscape.mobileConnections.first)
            for secret in ["wonderland", login, LogonBench.passcode, connection] {
                #expect(!trace.description.contains(secret))
            }
            // The upload is a request of the registration.
            let sent = try #require(bench.landscape.requests().last)
            #expect(sent.values(of: "X-SMP-APPCID") == bench.landscape.mobileConnections)
            try await logon.lock()
            #expect(await logonCode { try await logon.uploadTrace(trace) } == .operationNotAllowed)
            #expect(bench.landscape.mobileUploads.count == 3)
        }
    }

    /// An administrator's refusal, a place without uploads, a path that leads out, a server that is gone.
    @Test func notUploaded() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            let trace = try await transcript(bench, logon)
            func failure(_ path: String = ServicePaths().traces) async -> (LogonError.Code?, MobileServicesError.Code?)
            {
                let error = await logonError { try await logon.uploadTrace(trace, path: path) }
                return (error?.code, (error?.underlyingError as? MobileServicesError)?.code)
            }
            bench.landscape.mobileRule.properties["UploadLogs"] = .flag(false)
            #expect(await failure() == (.uploadTraceFailed, .notAllowed))
            #expect(await failure("elsewhere") == (.uploadTraceFailed, .notFound))
            let sent = bench.landscape.requests().count
            for path in ["../x", "/x", "a\r\nb", "a/%2e%2e/%2e%2e/b"] {
                #expect(await failure(path) == (.uploadTraceFailed, .invalidApplication), "\(path)")
            }
            #expect(bench.landscape.requests().count == sent)
            await bench.transport.shutdown()
            #expect(await failure() == (.uploadTraceFailed, .conversationFailed))
            #expect(await logon.state == .unlocked && bench.landscape.mobileUploads.isEmpty)
        }
    }

    @Test func notAtAGateway() async throws {
        try await withLogon { bench in
            let logon = try bench.logon()
            try await logon.register(bench.input("", at: .other))
            let sent = bench.landscape.requests().count
            #expect(await logonCode { try await logon.uploadTrace(Transcript()) } == .uploadTraceFailed)
            #expect(bench.landscape.requests().count == sent)
        }
    }
}
