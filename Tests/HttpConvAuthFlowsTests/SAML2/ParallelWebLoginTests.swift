import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

@Suite("SAML2: one login for everybody", .timeLimit(.minutes(1)))
struct ParallelWebLoginTests {
    private static func paths(_ count: Int, _ prefix: String = "/a") -> [String] {
        (0..<count).map { "\(SessionServer.base)\(prefix)/\($0)" }
    }

    private func texts(_ results: [Result<ConversationResponse, any Error>]) -> [String] {
        results.map { (try? $0.get().text) ?? "failed" }
    }

    private func codes(_ results: [Result<ConversationResponse, any Error>]) -> Set<ConversationError.Code?> {
        Set(
            results.map { result in
                guard case .failure(let error as ConversationError) = result else { return nil }
                return error.code
            })
    }

    @Test func fiveHundredConversationsAndTheLateOnesCostOneLogin() async throws {
        let (late, crowd, login) = (HeldPath("/late"), HeldPath("/a"), Gate())
        let server = SessionServer(holding: late, crowd)
        let bench = try WebLoginBench(server) { opened in
            await login.pass()
            return server.logIn(opened.login)
        }
        let key = try #require(try bench.saml2Key())
        // Their challenges are in flight until long after the login.
        async let lateOnes = bench.manager.getAll(Self.paths(100, "/late"))
        await late.waitForArrivals(100)
        async let others = bench.manager.getAll(Self.paths(300))
        await crowd.waitForArrivals(300)
        crowd.gate.open()
        await bench.session.steps.waitForWaiters(300, of: key)
        // These wait before they send anything.
        async let newcomers = bench.manager.getAll(Self.paths(100, "/new"))
        await bench.session.steps.waitForWaiters(400, of: key)
        #expect(bench.transport.requests.allSatisfy { !$0.target.path.hasPrefix("/new") })
        login.open()
        #expect(await texts(others) == (0..<300).map { "item /a/\($0)" })
        #expect(await texts(newcomers) == (0..<100).map { "item /new/\($0)" })
        late.gate.open()
        #expect(await texts(lateOnes) == (0..<100).map { "item /late/\($0)" })
        #expect(bench.web.opened.count == 1)
        #expect(server.now.logins == 1)
        #expect(server.now.challenges == 400)
        #expect(bench.web.peak == 1)
    }

    @Test(arguments: [WebLoginError.Code.answersRefused, .cancelled])
    func aFailureIsEverybodysAndIsNotKept(_ code: WebLoginError.Code) async throws {
        let (late, crowd, login) = (HeldPath("/late"), HeldPath("/a"), Gate())
        let fails = Box(true)
        let server = SessionServer(holding: late, crowd)
        let bench = try WebLoginBench(server) { opened in
            guard fails.value else { return server.logIn(opened.login) }
            await login.pass()
            throw WebLoginError(code, "wrong password")
        }
        let key = try #require(try bench.saml2Key())
        async let lateOnes = bench.manager.getAll(Self.paths(100, "/late"))
        await late.waitForArrivals(100)
        async let others = bench.manager.getAll(Self.paths(300))
        await crowd.waitForArrivals(300)
        crowd.gate.open()
        await bench.session.steps.waitForWaiters(300, of: key)
        async let newcomers = bench.manager.getAll(Self.paths(100, "/new"))
        await bench.session.steps.waitForWaiters(400, of: key)
        login.open()
        let expected: ConversationError.Code = code == .cancelled ? .cancelled : .authenticationFailed
        #expect(await codes(others) == [expected])
        // The requests that waited before sending are sent after all, and get that failure.
        #expect(await codes(newcomers) == [expected])
        #expect(bench.transport.requests.count { $0.target.path.hasPrefix("/new") } == 100)
        late.gate.open()
        #expect(await codes(lateOnes) == [expected])
        #expect(bench.web.opened.count == 1)
        fails.update { $0 = false }
        #expect(try await bench.get("/again").text == "item /again")
        #expect(bench.web.opened.count == 2)
    }

    @Test func aWaiterThatIsCancelledLeavesTheOthers() async throws {
        let login = Gate()
        let server = SessionServer()
        let bench = try WebLoginBench(server) { opened in
            await login.pass()
            return server.logIn(opened.login)
        }
        let key = try #require(try bench.saml2Key())
        // The conversation that started the login is cancelled, too.
        let first = Task { try await bench.get("/first") }
        await bench.session.steps.waitForWaiters(1, of: key)
        async let others = bench.manager.getAll(Self.paths(10))
        await bench.session.steps.waitForWaiters(11, of: key)
        first.cancel()
        let failure = await first.result
        #expect(codes([failure.mapError { $0 }]) == [.cancelled])
        login.open()
        #expect(await texts(others) == (0..<10).map { "item /a/\($0)" })
        #expect(bench.web.opened.count == 1)
    }

    @Test func theLastToLeaveClosesTheLogin() async throws {
        let bench = try WebLoginBench { _ in
            try await Task.sleep(for: .seconds(3600))
            throw WebLoginError(.strategyFailed, "not cancelled")
        }
        let key = try #require(try bench.saml2Key())
        let tasks = (0..<3).map { index in Task { try await bench.get("/\(index)") } }
        await bench.session.steps.waitForWaiters(3, of: key)
        while bench.web.running == 0 { await Task.yield() }
        for task in tasks { task.cancel() }
        for task in tasks { #expect(codes([await task.result]) == [.cancelled]) }
        while bench.web.running > 0 { await Task.yield() }
        while bench.outcomes.isEmpty { await Task.yield() }
        #expect(bench.outcomes == [.abandoned])
    }

    @Test func differentFinishEndpointsQueueInOrder() async throws {
        struct Provider: SAML2ConfigProvider {
            func saml2Config(for target: TargetURL) async throws -> SAML2Config? {
                try SessionServer.config(finish: "\(SessionServer.base)/launch\(target.path)")
            }
        }
        let login = Gate()
        let bench = try WebLoginBench(saml2: Provider()) { _ in
            await login.pass()
            throw WebLoginError(.cancelled, "closed")
        }
        var waiting: [Task<ConversationError?, Never>] = []
        for index in 0..<3 {
            waiting.append(Task { await bench.failure("/\(index)") })
            while true {
                let (shown, queued) = (bench.web.running, await bench.multiplexer.queueLength)
                if shown == 1, queued == index { break }
                await Task.yield()
            }
        }
        #expect(bench.web.opened.map { String($0.login.start.path) } == ["/launch/0"])
        login.open()
        for task in waiting { #expect(await task.value?.code == .cancelled) }
        #expect(bench.web.opened.map { String($0.login.start.path) } == ["/launch/0", "/launch/1", "/launch/2"])
        #expect(bench.web.peak == 1)
    }

    @Test func twoSessionsShareNothing() async throws {
        let login = Gate()
        let server = SessionServer()
        let script = { @Sendable (opened: ScriptedWebLoginStrategy.Opened) async throws -> WebLoginOutcome in
            await login.pass()
            return server.logIn(opened.login)
        }
        let web = ScriptedWebLoginStrategy(script)
        let transport = server.transport()
        let multiplexer = UserInteractionMultiplexer()
        var configurator = CommonAuthenticationConfigurator()
        configurator.webStrategies = WebStrategies(default: web)
        configurator.multiplexer = multiplexer
        configurator.add(saml2: SessionServer.Provider())
        // Not even if one configurator is copied, with one flow behind both.
        var other = configurator
        other.session = HttpSession()
        let managers = [configurator, other].map { configurator in
            return HttpConversationManager(transport: transport, configurator)
        }
        async let one = managers[0].get(SessionServer.base + "/one")
        async let two = managers[1].get(SessionServer.base + "/two")
        while true {
            let (shown, queued) = (web.running, await multiplexer.queueLength)
            if shown == 1, queued == 1 { break }
            await Task.yield()
        }
        login.open()
        #expect(try await [one.text, two.text] == ["item /one", "item /two"])
        #expect(web.opened.count == 2)
        let cookies = managers.map { $0.configuration.session.cookies.snapshot.cookies.map(\.value) }
        #expect(Set(cookies) == [["s1"], ["s2"]])
    }

    @Test func aConversationOfTheLoginItselfDoesNotWaitForIt() async throws {
        let server = SessionServer()
        let inner = Inner()
        let bench = try WebLoginBench(server) { opened in
            // As a strategy does that loads pages through the conversation's own filters.
            let page = try await inner.manager.value?.get(SessionServer.base + "/page")
            #expect(page?.text == SessionServer.page)
            return server.logIn(opened.login)
        }
        inner.manager.update { $0 = bench.manager }
        #expect(try await bench.get().text == "item /a")
        #expect(bench.web.opened.count == 1)
    }

    private final class Inner: Sendable {
        let manager = Box<HttpConversationManager?>(nil)
    }
}
