import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Synchronization
import TestLandscape
import Testing

@testable import HttpConversationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Managers of background configurations, with the session that Foundation has here.
@Suite("Managers of background configurations", .timeLimit(.minutes(1)))
struct BackgroundManagerTests {
    /// A folder for one test, its manager, and the calls about progress.
    private struct Scene {
        let folder: URL
        let manager: HttpConversationManager
        let progress: AsyncStream<BackgroundProgress>

        var transfers: BackgroundTransfers {
            get throws { try #require(manager.backgroundTransfers) }
        }
        var file: URL { folder.appending(path: "file") }
    }

    private func scene(
        in folder: URL, delegate: (any ConversationDelegate)? = nil, cookies: HTTPCookieStorage? = nil
    ) -> Scene {
        let (progress, reports) = AsyncStream<BackgroundProgress>.makeStream()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.identifier = "background"
        if let cookies { configuration.httpCookieStorage = cookies }
        var background = BackgroundTransfers.Configuration(identifier: "another one")
        background.folder = folder.appending(path: "records")
        background.onProgress = { reports.yield($0) }
        let manager = HttpConversationManager(configuration, background: background)
        manager.update { $0.delegate = delegate }
        return Scene(folder: folder, manager: manager, progress: progress)
    }

    private func withScene<Value>(_ work: (Scene, Landscape) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "transfers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await withLandscape { try await work(scene(in: folder), $0) }
    }

    private func logIn(_ scene: Scene, _ landscape: Landscape) async throws {
        let login = landscape.urlString(.main, "/session/login?user=alice&password=wonderland")
        #expect(try await scene.manager.data(for: HTTPRequest(.post, login)).status == .ok)
    }

    @Test func filesAreDownloadedAndSent() async throws {
        try await withScene { scene, landscape in
            #expect(scene.manager.configuration.problems.isEmpty)
            #expect(scene.manager.configuration.publicSuffixes != nil)
            #expect(try scene.transfers.configuration.identifier == "background")
            try await logIn(scene, landscape)
            let delegate = RecordingDelegate()
            let request = URLRequest(url: landscape.url(.main, "/session/resource"))
            let (file, response) = try await scene.manager.download(for: request, to: scene.file, delegate: delegate)
            #expect(response.statusCode == 200)
            #expect(try String(contentsOf: file, encoding: .utf8).contains("alice"))
            #expect(delegate.calls.contains(.downloaded(.ok, to: scene.file)), "\(delegate.calls)")
            let put = try HTTPRequest(.put, landscape.urlString(.main, "/upload"))
            let id = try await scene.manager.startBackgroundUpload(put, fromFile: file, delegate: delegate)
            var ends = try scene.transfers.ends.makeAsyncIterator()
            let end = try #require(await ends.next())
            #expect(end.label.conversationID == id && end.label.kind == .upload)
            guard case .finished(let head) = end.outcome else {
                Issue.record("\(end.outcome)")
                return
            }
            #expect(head.status == .ok || head.status == .created)
            #expect(landscape.count(path: "/upload") > 0)
            // The application has the first result; the other one is reported until it is acknowledged.
            let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path + "/records").sorted()
            #expect(names == ["\(id).answer", "\(id).json"])
            try scene.transfers.acknowledge(id)
            #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder.path + "/records").isEmpty)
        }
    }

    /// The system may suspend the application after it.
    @Test func eventsAreOverAfterTheirReports() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "transfers-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = BackgroundTransfers.Configuration(identifier: "events")
        configuration.folder = folder
        let reports = BackgroundReports { _ in }
        let table = BackgroundTable(folder: folder)
        let delegate = BackgroundDelegate(configuration, table, reports)
        let recording = RecordingDelegate()
        let manager = HttpConversationManager(transport: URLSessionTransport())
        let context = manager.detachedContext(for: try TargetURL("https://example.com/a"))
        var listener = BackgroundReports.Listener(delegates: [recording])
        listener.context = context
        reports.listen(to: context.id, listener)
        let label = BackgroundLabel(conversationID: context.id, kind: .download, path: "/a")
        let (done, end) = AsyncStream<Int>.makeStream()
        for number in [1, 2] {
            delegate.handleEvents {
                end.yield(recording.calls.isEmpty ? 0 : number)
                if number == 2 { end.finish() }
            }
        }
        let failure = ConversationError(.emptyResponse, "closed")
        reports.end(.init(label: label, outcome: .failed(failure), request: nil, answer: nil))
        delegate.urlSessionDidFinishEvents(forBackgroundURLSession: .shared)
        var seen: [Int] = []
        for await number in done { seen.append(number) }
        #expect(seen == [1, 2])
    }

    // MARK: Bodies of answers to uploads

    /// A file that is sent in the background, to a server that answers with these bytes.
    private func send(
        _ scene: Scene, _ landscape: Landscape, answer: String
    ) async throws -> BackgroundTransfers.End {
        landscape.raw.respond(path: "/inbox", text: answer)
        try Data("content".utf8).write(to: scene.file)
        let id = try await scene.manager.startBackgroundUpload(
            try HTTPRequest(.put, landscape.urlString(.raw, "/inbox")), fromFile: scene.file)
        var ends = try scene.transfers.ends.makeAsyncIterator()
        let end = try #require(await ends.next())
        #expect(end.label.conversationID == id)
        return end
    }

    /// The next launch has status, fields and body, until the transfer is acknowledged.
    @Test func theAnswerOfAnUploadIsThereAfterTheNextLaunch() async throws {
        try await withScene { scene, landscape in
            let text =
                "HTTP/1.1 201 Created\r\nLocation: /inbox/7\r\nSet-Cookie: a=secret\r\nContent-Length: 6\r\n\r\nstored"
            let first = try await send(scene, landscape, answer: text)
            #expect(try first.body() == Array("stored".utf8))
            let later = self.scene(in: scene.folder)
            var ends = try later.transfers.ends.makeAsyncIterator()
            let end = try #require(await ends.next())
            guard case .finished(let head) = end.outcome else {
                Issue.record("\(end.outcome)")
                return
            }
            #expect(head.status == .created && head.headerFields[.location] == "/inbox/7")
            #expect(head.headerFields[.setCookie] == nil)
            #expect(try end.body() == Array("stored".utf8))
            let files = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path + "/records").sorted()
            #expect(files == ["\(end.label.conversationID).answer", "\(end.label.conversationID).json"])
            for file in files {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: scene.folder.path + "/records/\(file)")
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
            try later.transfers.acknowledge(end.label.conversationID)
            let error = #expect(throws: ConversationError.self) { try end.body() }
            #expect(error?.code == .outputFailed)
            #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder.path + "/records").isEmpty)
        }
    }

    @Test(arguments: [0, 1]) func aBodyHasALimit(_ more: Int) async throws {
        try await withScene { scene, landscape in
            let body = String(repeating: "x", count: BackgroundAnswer.maximumBytes + more)
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            let end = try await send(scene, landscape, answer: head + body)
            guard case .finished(let answer) = end.outcome else {
                Issue.record("\(end.outcome)")
                return
            }
            #expect(answer.status == .ok)
            guard more > 0 else {
                #expect(try end.body().count == BackgroundAnswer.maximumBytes)
                return
            }
            let error = #expect(throws: ConversationError.self) { try end.body() }
            #expect(error?.code == .tooLarge && error?.message.contains("1048576") == true)
            let records = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path + "/records")
            #expect(!records.contains { $0.hasSuffix(".answer") })
        }
    }

    /// The verb that waits gets the body, and leaves nothing on disk.
    @Test func theVerbHasTheAnswersBody() async throws {
        try await withScene { scene, landscape in
            try Data("content".utf8).write(to: scene.file)
            var put = URLRequest(url: landscape.url(.main, "/upload"))
            put.httpMethod = "PUT"
            let (data, _) = try await scene.manager.upload(for: put, fromFile: scene.file)
            #expect(String(decoding: data, as: UTF8.self).contains("7"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder.path + "/records").isEmpty)
            landscape.raw.respond(path: "/no", text: "HTTP/1.1 409 Conflict\r\nContent-Length: 4\r\n\r\nthat")
            var refused = URLRequest(url: landscape.url(.raw, "/no"))
            refused.httpMethod = "PUT"
            let error = await #expect(throws: ConversationError.self) {
                _ = try await scene.manager.upload(for: refused, fromFile: scene.file)
            }
            #expect(error?.code == .unsuccessfulStatus)
            #expect(error?.response?.text == "that")
        }
    }

    @Test func aMissingFileIsNotSent() async throws {
        try await withScene { scene, landscape in
            let put = try HTTPRequest(.put, landscape.urlString(.main, "/upload"))
            let code = await failureCode { try await scene.manager.startBackgroundUpload(put, fromFile: scene.file) }
            #expect(code == .bodyUnavailable)
            #expect(landscape.requests(path: "/upload", method: "PUT").isEmpty)
        }
    }

    /// An error page replaces no file, and the verb throws as in the foreground.
    @Test(arguments: [(404, ConversationError.Code.unsuccessfulStatus), (401, .authenticationFailed)])
    func errorsAreThrown(_ status: Int, _ code: ConversationError.Code) async throws {
        try await withScene { scene, landscape in
            try Data("old".utf8).write(to: scene.file)
            let request = URLRequest(url: landscape.url(.main, "/status/\(status)?body=x"))
            let error = await #expect(throws: ConversationError.self) {
                _ = try await scene.manager.download(for: request, to: scene.file)
            }
            #expect(error?.code == code)
            #expect(try String(contentsOf: scene.file, encoding: .utf8) == "old")
        }
    }

    @Test func completionFormsUseTheBackground() async throws {
        try await withScene { scene, landscape in
            let (results, found) = AsyncStream<Result<Int, ConversationError>>.makeStream()
            let request = URLRequest(url: landscape.url(.main, "/json"))
            scene.manager.executeDownloadRequest(request, to: scene.file) { result in
                found.yield(result.map(\.1.statusCode))
            }
            var answers = results.makeAsyncIterator()
            #expect(try #require(await answers.next()).get() == 200)
            var put = URLRequest(url: landscape.url(.main, "/upload"))
            put.httpMethod = "PUT"
            scene.manager.executeUploadRequest(put, fromFile: scene.file) { result in
                found.yield(result.map(\.1.statusCode))
            }
            #expect([200, 201].contains(try #require(await answers.next()).get()))
            put.httpBody = Data("x".utf8)
            scene.manager.executeUploadRequest(put, fromFile: scene.file) { result in
                found.yield(result.map(\.1.statusCode))
            }
            let failure = try #require(await answers.next())
            #expect(throws: ConversationError.self) { try failure.get() }
        }
    }

    @Test func anExistingFileIsReplaced() async throws {
        try await withScene { scene, landscape in
            try Data("old".utf8).write(to: scene.file)
            let request = try HTTPRequest(.get, landscape.urlString(.main, "/status/200?body=new"))
            _ = try await scene.manager.startBackgroundDownload(request, to: scene.file)
            var ends = try scene.transfers.ends.makeAsyncIterator()
            guard case .finished = await ends.next()?.outcome else {
                Issue.record("The download did not finish.")
                return
            }
            #expect(try String(contentsOf: scene.file, encoding: .utf8) == "new")
            let left = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path)
            #expect(left.sorted() == ["file", "records"])
        }
    }

    /// A server may send a part that it was not asked for: the file that is there stays.
    @Test func aPartIsNoFile() async throws {
        try await withScene { scene, landscape in
            try Data("old".utf8).write(to: scene.file)
            let part = try HTTPRequest(.get, landscape.urlString(.main, "/status/206?body=part"))
            _ = try await scene.manager.startBackgroundDownload(part, to: scene.file)
            var ends = try scene.transfers.ends.makeAsyncIterator()
            guard case .failed(let error) = await ends.next()?.outcome else {
                Issue.record("The part counts as the whole.")
                return
            }
            #expect(error.code == .bodyCut && error.message.contains("206"))
            #expect(try String(contentsOf: scene.file, encoding: .utf8) == "old")
            let own = try HTTPRequest(
                .get, landscape.urlString(.main, "/status/206?body=part"), fields: [.range: "bytes=0-3"])
            _ = try await scene.manager.startBackgroundDownload(own, to: scene.file)
            guard case .finished(let head) = await ends.next()?.outcome else {
                Issue.record("The part that was asked for is missing.")
                return
            }
            #expect(head.status == .partialContent)
            #expect(try String(contentsOf: scene.file, encoding: .utf8) == "part")
        }
    }

    /// The system would send the session's own fields wherever a redirect leads.
    @Test func onlyThePlansFieldsAreSent() async throws {
        try await withScene { scene, landscape in
            let settings = URLSessionConfiguration.ephemeral
            settings.httpAdditionalHeaders = ["X-API-Key": "CANARY"]
            var configuration = BackgroundTransfers.Configuration(identifier: "fields")
            configuration.folder = scene.folder.appending(path: "fields")
            let transfers = BackgroundTransfers(configuration, settings)
            let plan = try await scene.manager.planBackgroundTransfer(
                for: HTTPRequest(.get, landscape.urlString(.main, "/echo"), fields: [.userAgent: "plan-1"]))
            try transfers.download(plan, to: scene.file)
            var ends = transfers.ends.makeAsyncIterator()
            guard case .finished = await ends.next()?.outcome else {
                Issue.record("The download did not finish.")
                return
            }
            let sent = try String(contentsOf: scene.file, encoding: .utf8)
            #expect(sent.contains("plan-1") && !sent.contains("CANARY"), "\(sent)")
        }
    }

    /// Other transfers may have brought cookies for the same server.
    @Test(arguments: [true, false]) func theSystemHandlesCookiesAsTheManagerDoes(handlesCookies: Bool) async throws {
        try await withScene { scene, landscape in
            scene.manager.update { $0.handlesCookies = handlesCookies }
            let request = try HTTPRequest(.get, landscape.urlString(.main, "/json"))
            _ = try await scene.manager.startBackgroundDownload(request, to: scene.file)
            var ends = try scene.transfers.ends.makeAsyncIterator()
            let end = try #require(await ends.next())
            #expect(end.request?.httpShouldHandleCookies == handlesCookies)
        }
    }

    /// The outcome of a background upload that a protocol class answers in the place of a server.
    private func outcome(of answering: URLProtocol.Type, _ query: String = "") async throws -> BackgroundOutcome {
        try await withScene { scene, landscape in
            let settings = URLSessionConfiguration.ephemeral
            settings.protocolClasses = [answering]
            var configuration = BackgroundTransfers.Configuration(identifier: "answered")
            configuration.folder = scene.folder.appending(path: "answered")
            let transfers = BackgroundTransfers(configuration, settings)
            try Data("sent".utf8).write(to: scene.file)
            let plan = try await scene.manager.planBackgroundTransfer(
                for: HTTPRequest(.put, landscape.urlString(.main, "/upload\(query)")))
            try transfers.upload(plan, fromFile: scene.file)
            var ends = transfers.ends.makeAsyncIterator()
            return try #require(await ends.next()).outcome
        }
    }

    /// Answers every request with a status that no server may send.
    private final class ImpossibleStatus: URLProtocol {
        override static func canInit(with request: URLRequest) -> Bool { true }
        override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            guard let url = request.url,
                let response = HTTPURLResponse(url: url, statusCode: 1000, httpVersion: nil, headerFields: nil)
            else { return }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {}
    }

    @Test func anImpossibleStatusIsAFailure() async throws {
        guard case .failed(let error) = try await outcome(of: ImpossibleStatus.self) else {
            Issue.record("An impossible status counts as an answer.")
            return
        }
        #expect(error.code == .malformedResponse)
    }

    /// Fails every request with the error whose code is in the query.
    private final class Failing: URLProtocol {
        override static func canInit(with request: URLRequest) -> Bool { true }
        override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            guard let number = request.url?.query().flatMap({ Int($0) }),
                let code = URLError.Code(rawValue: number) as URLError.Code?
            else { return }
            client?.urlProtocol(self, didFailWithError: URLError(code))
        }

        override func stopLoading() {}
    }

    /// The device's own failures are not told as the server's, and a server that has not answered broke off no answer.
    @Test(arguments: [
        (-1100, ConversationError.Code.bodyUnavailable), (-1102, .bodyUnavailable), (-3003, .outputFailed),
        (-995, .invalidConfiguration), (-996, .invalidConfiguration), (-997, .connectionFailed),
        (-1005, .emptyResponse),
    ]) func failuresHaveTheirOwnCodes(_ number: Int, _ code: ConversationError.Code) async throws {
        let told = try await outcome(of: Failing.self, "?\(number)")
        // As it is told now, and after the next launch.
        for outcome in [told, BackgroundResult(told).outcome] {
            guard case .failed(let error) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(error.code == code, "\(error)")
        }
    }

    /// Foundation keeps nothing of a download here, so a pause is an end.
    @Test(arguments: [true, false]) func transfersAreStopped(byPause: Bool) async throws {
        try await withScene { scene, landscape in
            let ticks = try HTTPRequest(.get, landscape.urlString(.main, "/ticks?every=20"))
            let id = try await scene.manager.startBackgroundDownload(ticks, to: scene.file)
            var progress = scene.progress.makeAsyncIterator()
            let first = try #require(await progress.next())
            #expect(first.conversationID == id && first.bytes > 0 && first.total == nil)
            if byPause { try scene.transfers.pause(id) } else { try scene.transfers.cancel(id) }
            var ends = try scene.transfers.ends.makeAsyncIterator()
            let end = try #require(await ends.next())
            guard case .failed(let error) = end.outcome else {
                Issue.record("\(end.outcome)")
                return
            }
            #expect(error.code == .cancelled)
            #expect(try scene.transfers.resumable.isEmpty)
            let code = await failureCode { try await scene.manager.resumeBackgroundDownload(id, ticks) }
            #expect(code == .notResumable)
            #expect(!FileManager.default.fileExists(atPath: scene.file.path))
        }
    }

    /// FoundationNetworking blocks its callers meanwhile, here and in every other session.
    @Test func transfersBeginWhileAnUploadWaitsForItsSource() async throws {
        try await withScene { scene, landscape in
            let transfers = try scene.transfers
            let plan = try await scene.manager.planBackgroundTransfer(
                for: HTTPRequest(.get, landscape.urlString(.main, "/echo")))
            let (asks, asked) = AsyncStream<Void>.makeStream()
            let (pieces, source) = AsyncStream<[UInt8]>.makeStream()
            let body = RequestBodyStream {
                asked.yield()
                for await piece in pieces { return piece }
                return nil
            }
            async let upload = URLSessionTransport().text(
                .put, landscape.urlString(.main, "/upload"), body: .oneShot(body))
            defer { source.finish() }
            var asking = asks.makeAsyncIterator()
            _ = await asking.next()
            let (begins, begun) = AsyncStream<Bool>.makeStream()
            Thread.detachNewThread {
                transfers.pause(ConversationID())
                begun.yield((try? transfers.download(plan, to: scene.file)) != nil)
            }
            let limit = Task {
                try await Task.sleep(for: .seconds(10))
                begun.finish()
            }
            var beginning = begins.makeAsyncIterator()
            #expect(await beginning.next() == true)
            limit.cancel()
            source.finish()
            #expect(try await upload.isEmpty == false)
            var ends = transfers.ends.makeAsyncIterator()
            guard case .finished(let head) = await ends.next()?.outcome else {
                Issue.record("The download did not finish.")
                return
            }
            #expect(head.status == .ok)
        }
    }

    /// Records of an earlier process: an end that the application does not have yet, and a lost transfer.
    @Test func endsAreReportedAfterTheNextLaunch() async throws {
        try await withScene { scene, _ in
            let records = scene.folder.appending(path: "records")
            let earlier = BackgroundTable(folder: records)
            let labels = [1, 2].map {
                BackgroundLabel(conversationID: ConversationID(rawValue: $0), kind: .download, path: "/f")
            }
            for label in labels { try earlier.begin(label) }
            let result = BackgroundResult(.finished(HTTPResponse(status: .ok)))
            _ = earlier.apply(.ended(result, isResumable: false), to: labels[0].conversationID)
            for launch in 1...2 {
                let later = self.scene(in: scene.folder)
                var ends = try later.transfers.ends.makeAsyncIterator()
                let first = try #require(await ends.next())
                guard case .finished = first.outcome else {
                    Issue.record("\(first.outcome)")
                    return
                }
                let second = try #require(await ends.next())
                guard case .failed(let error) = second.outcome else {
                    Issue.record("\(second.outcome)")
                    return
                }
                #expect(error.message.contains("no longer has"))
                if launch == 2 { for label in labels { try later.transfers.acknowledge(label.conversationID) } }
            }
            #expect(BackgroundTable(folder: records).all.isEmpty)
        }
    }

    /// The system has lost a transfer: its login cookie leaves the store, and the others stay.
    @Test func cookiesOfALostTransferAreRemoved() async throws {
        try await withScene { scene, _ in
            let store = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
            for name in ["session", "own"] {
                let properties: [HTTPCookiePropertyKey: Any] = [
                    .name: name, .value: "secret", .domain: "example.com", .path: "/",
                ]
                store.setCookie(try #require(HTTPCookie(properties: properties)))
            }
            let place = BackgroundLabel.CookiePlace(name: "session", domain: "example.com", path: "/")
            let label = BackgroundLabel(conversationID: ConversationID(), kind: .upload, path: "/f", cookies: [place])
            try BackgroundTable(folder: scene.folder.appending(path: "records")).begin(label)
            let later = self.scene(in: scene.folder, cookies: store)
            var ends = try later.transfers.ends.makeAsyncIterator()
            #expect(await ends.next()?.label.conversationID == label.conversationID)
            #expect(store.cookies?.map(\.name) == ["own"])
        }
    }

    /// Before the system's transfers are known, the records have the cookies of those of an earlier launch: another
    /// account's transfer does not get them, and the end of one takes them from no other.
    @Test func theCookiesOfAnEarlierLaunchAreKnownAtOnce() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "transfers-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "sid", .value: "alice", .domain: "files.example", .path: "/",
        ]
        store.setCookie(try #require(HTTPCookie(properties: properties)))
        let place = BackgroundLabel.CookiePlace(name: "sid", domain: "files.example", path: "/")
        let labels = (0..<3).map { _ in
            BackgroundLabel(conversationID: ConversationID(), kind: .upload, path: "/f", cookies: [place])
        }
        let (ended, running, lost) = (labels[0], labels[1], labels[2])
        let earlier = BackgroundTable(folder: folder)
        for label in [ended, running, lost] { try earlier.begin(label) }
        var configuration = BackgroundTransfers.Configuration(identifier: "cookies")
        configuration.folder = folder
        let table = BackgroundTable(folder: folder)
        let delegate = BackgroundDelegate(configuration, table, BackgroundReports { _ in })
        let settings = URLSessionConfiguration.ephemeral
        settings.httpCookieStorage = store
        let session = URLSession(configuration: settings)
        defer { session.invalidateAndCancel() }
        func values() -> [String] { (store.cookies ?? []).map(\.value) }
        let target = try TargetURL("https://files.example/")
        let manager = HttpConversationManager(transport: URLSessionTransport())
        let other = BackgroundTransferPlan(
            context: manager.detachedContext(for: target), method: .put, target: target, headerFields: [:], cookies: [],
            handlesCookies: true)
        let error = #expect(throws: ConversationError.self) { try delegate.bring(other, into: store) }
        #expect(error?.code == .invalidConfiguration)
        let result = BackgroundResult(.finished(HTTPResponse(status: .ok)))
        delegate.remove(ended, from: session)
        #expect(table.apply(.ended(result, isResumable: false), to: ended.conversationID) == [.tell])
        #expect(values() == ["alice"], "the other transfers need it")
        delegate.launched([running], in: session)
        #expect(values() == ["alice"])
        delegate.remove(running, from: session)
        #expect(values().isEmpty)
    }

    /// An answer may set cookies that the login did not: another account's transfer is not sent with them. The
    /// application's own stay, with their newest values.
    @Test func cookiesOfAnAnswerAreRemoved() async throws {
        try await withScene { scene, landscape in
            let settings = URLSessionConfiguration.ephemeral
            let store = try #require(settings.httpCookieStorage)
            var configuration = BackgroundTransfers.Configuration(identifier: "answers")
            configuration.folder = scene.folder.appending(path: "answers")
            let transfers = BackgroundTransfers(configuration, settings)
            let target = try TargetURL(landscape.urlString(.raw, "/inbox"))
            let properties: [HTTPCookiePropertyKey: Any] = [
                .name: "own", .value: "before", .domain: target.origin.host, .path: "/",
            ]
            store.setCookie(try #require(HTTPCookie(properties: properties)))
            landscape.raw.respond(
                path: "/inbox",
                text:
                    "HTTP/1.1 200 OK\r\nSet-Cookie: own=after; Path=/\r\nSet-Cookie: fresh=1; Path=/\r\nContent-Length: 2\r\n\r\nok"
            )
            let plan = BackgroundTransferPlan(
                context: scene.manager.detachedContext(for: target), method: .get, target: target, headerFields: [:],
                cookies: [], handlesCookies: true)
            try transfers.download(plan, to: scene.file)
            var ends = transfers.ends.makeAsyncIterator()
            guard case .finished = await ends.next()?.outcome else {
                Issue.record("The download did not finish.")
                return
            }
            #expect(store.cookies?.map { "\($0.name)=\($0.value)" } == ["own=after"])
        }
    }

    /// The end of a transfer whose label cannot be read again would never be told.
    @Test func cookiesWithTooLongNamesAreRefused() async throws {
        try await withScene { scene, landscape in
            let settings = URLSessionConfiguration.ephemeral
            var configuration = BackgroundTransfers.Configuration(identifier: "long")
            configuration.folder = scene.folder.appending(path: "long")
            let transfers = BackgroundTransfers(configuration, settings)
            let target = try TargetURL(landscape.urlString(.main, "/json"))
            let jar = CookieStore()
            let name = String(repeating: "n", count: 4000)
            for number in 0..<20 { jar.store(setCookie: ["\(name)\(number)=1; Path=/"], from: target) }
            let cookies = jar.cookies(for: target)
            #expect(cookies.count == 20)
            let plan = BackgroundTransferPlan(
                context: scene.manager.detachedContext(for: target), method: .get, target: target, headerFields: [:],
                cookies: cookies, handlesCookies: true)
            let error = #expect(throws: ConversationError.self) { try transfers.download(plan, to: scene.file) }
            #expect(error?.code == .invalidConfiguration)
            #expect(settings.httpCookieStorage?.cookies?.isEmpty == true)
            #expect(landscape.requests().isEmpty)
        }
    }

    @Test func othersHaveNone() async throws {
        let manager = HttpConversationManager(transport: URLSessionTransport())
        #expect(manager.backgroundTransfers == nil)
        let code = await failureCode {
            _ = try await manager.startBackgroundDownload(
                HTTPRequest(.get, "http://127.0.0.1:1/"), to: URL(filePath: "/f"))
        }
        #expect(code == .invalidConfiguration)
    }
}
