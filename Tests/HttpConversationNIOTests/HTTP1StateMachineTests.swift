import NIOHTTP1
import Testing

@testable import HttpConversationNIO

/// The exchanges of one connection, without a socket.
@Suite struct HTTP1StateMachineTests {
    typealias Machine = HTTP1StateMachine

    private func head(_ status: HTTPResponseStatus, _ headers: HTTPHeaders = [:], minor: Int = 1) -> HTTPResponseHead {
        HTTPResponseHead(version: .init(major: 1, minor: minor), status: status, headers: headers)
    }

    private func running(_ upload: Machine.Upload = .sent, served: Int = 0) -> Machine {
        var machine = Machine()
        for _ in 0..<served {
            machine.begin(.sent)
            _ = machine.bytesArrived()
            _ = machine.receivedHead(head(.ok))
            machine.receivedEnd()
            _ = machine.finish()
        }
        machine.begin(upload)
        return machine
    }

    @Test func plainExchangeKeepsTheConnection() {
        var machine = running()
        #expect(machine.bytesArrived() == true)
        #expect(machine.receivedHead(head(.ok)) == .final)
        machine.receivedEnd()
        #expect(machine.bytesArrived() == false)
        #expect(machine.finish() == true)
        #expect(machine.canBegin)
        #expect(machine.isReused)
        #expect(machine.bytesArrived() == false)
    }

    @Test(
        arguments: [
            (["connection": "close"], 1), ([:], 0), (["transfer-encoding": "chunked", "connection": "keep-alive"], 0),
        ] as [(HTTPHeaders, Int)]) func connectionEndsWithTheExchange(headers: HTTPHeaders, minor: Int)
    {
        var machine = running()
        #expect(machine.receivedHead(head(.ok, headers, minor: minor)) == .final)
        machine.receivedEnd()
        #expect(machine.finish() == false)
    }

    @Test(arguments: [Machine.Upload.awaitingContinue, .sending]) func earlyAnswerStopsTheUpload(upload: Machine.Upload)
    {
        var machine = running(upload)
        #expect(machine.receivedHead(head(.unauthorized)) == .final)
        #expect(machine.running?.upload == .stopped)
        #expect(machine.continueTimedOut() == false)
        machine.bodySent()
        machine.receivedEnd()
        #expect(machine.finish() == false)
    }

    @Test func continueReleasesTheBodyOnce() {
        var machine = running(.awaitingContinue)
        #expect(machine.receivedHead(head(.continue)) == .sendBody)
        #expect(machine.receivedHead(head(.continue)) == .interim)
        #expect(machine.continueTimedOut() == false)
        machine.bodySent()
        #expect(machine.receivedHead(head(.ok)) == .final)
        machine.receivedEnd()
        #expect(machine.finish() == true)
    }

    @Test func anUpgradeEndsHTTP() {
        var machine = Machine()
        machine.begin(.awaitingUpgrade, upgrade: "test")
        #expect(machine.continueTimedOut() == false)
        let switching = head(.switchingProtocols, ["upgrade": "TEST", "connection": "x, Upgrade"])
        #expect(machine.receivedHead(switching) == .upgraded)
        #expect(machine.isUpgraded && machine.bytesArrived() && !machine.expectsNothing)
        #expect(machine.receivedHead(head(.ok)) == .refuse(.unexpectedBytes))
        machine.bodySent()
        machine.receivedEnd()
        #expect(machine.finish() == false)
    }

    @Test func anUpgradeThatTheServerDeclinesIsAnExchangeLikeAnyOther() {
        var machine = Machine()
        machine.begin(.awaitingUpgrade, upgrade: "test")
        #expect(machine.receivedHead(head(.continue)) == .interim)
        #expect(machine.receivedHead(head(.ok)) == .final)
        machine.receivedEnd()
        #expect(machine.finish() == true)
        machine.begin(.sent)
        #expect(
            machine.receivedHead(head(.switchingProtocols, ["upgrade": "test", "connection": "upgrade"]))
                == .refuse(.unaskedUpgrade))
    }

    @Test func refusals() {
        var machine = running()
        #expect(machine.receivedHead(head(.switchingProtocols)) == .refuse(.unaskedUpgrade))
        #expect(
            machine.receivedHead(head(.ok, ["transfer-encoding": "chunked", "content-length": "1"]))
                == .refuse(.transferEncodingAndLength))
        #expect(machine.receivedHead(head(.ok, ["transfer-encoding": "gzip"])) == .refuse(.unknownTransferEncoding))
        #expect(machine.receivedHead(head(.custom(code: 42, reasonPhrase: ""))) == .refuse(.invalidStatus))
        for _ in 0..<Machine.maximumInterimResponses { #expect(machine.receivedHead(head(.processing)) == .interim) }
        #expect(machine.receivedHead(head(.processing)) == .refuse(.tooManyInterimResponses))
        var idle = Machine()
        #expect(idle.receivedHead(head(.ok)) == .refuse(.unexpectedBytes))
    }

    @Test(arguments: [
        // reused, bytes seen, idempotent, head unsent → may be sent again
        (false, false, true, false, false), (true, false, true, false, true), (true, true, true, false, false),
        (true, false, false, false, false), (true, false, false, true, true), (true, true, false, true, false),
    ]) func retry(reused: Bool, bytes: Bool, idempotent: Bool, unsent: Bool, expected: Bool) {
        var machine = running(served: reused ? 1 : 0)
        if bytes { _ = machine.bytesArrived() }
        if unsent { machine.headWasUnsent() }
        #expect(machine.mayRetry(isIdempotent: idempotent) == expected)
    }

    @Test func bytesAfterAResponseEndItsConnection() {
        var machine = running()
        #expect(!machine.expectsNothing)
        _ = machine.receivedHead(head(.ok))
        #expect(!machine.expectsNothing)
        machine.receivedEnd()
        #expect(machine.expectsNothing)
        machine.refuseReuse()
        #expect(machine.finish() == false)
        #expect(machine.expectsNothing)
    }

    @Test func aCutIsNamedByItsPlace() {
        var machine = running()
        #expect(machine.cut == .beforeResponse)
        _ = machine.bytesArrived()
        #expect(machine.cut == .inHead)
        _ = machine.receivedHead(head(.ok))
        #expect(machine.cut == .inBody)
        machine.receivedEnd()
        #expect(machine.cut == .idle)
        machine.abandon()
        #expect(machine.cut == .idle)
        machine.close()
        #expect(!machine.canBegin)
    }
}
