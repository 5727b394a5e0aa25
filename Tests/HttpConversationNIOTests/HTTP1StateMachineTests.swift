import HTTPTypes
import HttpConversation
import NIOCore
import Testing

@testable import HttpConversationNIO

/// The exchanges of one connection, without a socket.
@Suite struct HTTP1StateMachineTests {
    typealias Machine = HTTP1StateMachine

    private func head(
        _ status: HTTPResponse.Status, _ fields: HTTPFields = [.contentLength: "2"], minor: Int = 1
    ) -> ResponseHead {
        ResponseHead(status: status, fields: fields, version: ProtocolVersion(major: 1, minor: minor))
    }

    /// Receives bytes of a body; returns it, and how many bytes are left.
    private func receive(_ text: String, _ machine: inout Machine) throws -> (body: String, left: Int) {
        var buffer = ByteBuffer(string: text)
        var bytes = BurstBytes()
        try machine.receivedBody(&buffer, into: &bytes)
        return (String(decoding: bytes.take(), as: UTF8.self), buffer.readableBytes)
    }

    private func running(_ upload: Machine.Upload = .sent, served: Int = 0) -> Machine {
        var machine = Machine()
        for _ in 0..<served {
            machine.begin(.sent)
            _ = machine.bytesArrived()
            _ = machine.receivedHead(head(.ok, [.contentLength: "0"]))
            _ = machine.finish()
        }
        machine.begin(upload)
        return machine
    }

    @Test func plainExchangeKeepsTheConnection() throws {
        var machine = running()
        #expect(machine.bytesArrived() == true)
        #expect(machine.receivedHead(head(.ok)) == .final)
        let (body, left) = try receive("ok", &machine)
        #expect(body == "ok" && left == 0)
        #expect(machine.bytesArrived() == false)
        #expect(machine.finish() == true)
        #expect(machine.canBegin)
        #expect(machine.isReused)
        #expect(machine.bytesArrived() == false)
    }

    @Test(
        arguments: [
            ([.contentLength: "0", .connection: "x, Close"], 1), ([.contentLength: "0"], 0), ([:], 1),
            ([.contentLength: "0", .connection: "keep-alive, close"], 0),
            ([.transferEncoding: "chunked", .connection: "keep-alive"], 0),
        ] as [(HTTPFields, Int)]) func connectionEndsWithTheExchange(fields: HTTPFields, minor: Int) throws
    {
        var machine = running()
        #expect(machine.receivedHead(head(.ok, fields, minor: minor)) == .final)
        if fields.contains(.transferEncoding) { _ = try receive("0\r\n\r\n", &machine) }
        #expect(machine.receivedEnd() == !fields.contains { $0.name == .contentLength || $0.name == .transferEncoding })
        #expect(machine.expectsNothing)
        #expect(machine.finish() == false)
    }

    @Test(arguments: [Machine.Upload.awaitingContinue, .sending]) func earlyAnswerStopsTheUpload(upload: Machine.Upload)
        throws
    {
        var machine = running(upload)
        #expect(machine.receivedHead(head(.unauthorized)) == .final)
        #expect(machine.running?.upload == .stopped)
        #expect(machine.continueTimedOut() == false)
        machine.bodySent()
        _ = try receive("no", &machine)
        #expect(machine.finish() == false)
    }

    /// The rest of a body follows a whole answer that accepts it. HTML may be the page of a login, which comes first.
    @Test(arguments: [("text/plain", true), ("text/html; charset=utf-8", false), ("application/xhtml+xml", false)])
    func aWholePageEndsTheUpload(type: String, goesOn: Bool) throws {
        var machine = running(.sending)
        #expect(machine.receivedHead(head(.ok, [.contentLength: "2", .contentType: type])) == .final)
        #expect(!machine.awaitsUpload)
        _ = try receive("ok", &machine)
        #expect(machine.awaitsUpload == goesOn)
    }

    /// A server that accepts a body may answer while it reads it.
    @Test(
        arguments: [(.sending, .sending), (.awaitingContinue, .sending), (.sent, .sent)]
            as [(Machine.Upload, Machine.Upload)])
    func anEarlySuccess(upload: Machine.Upload, then: Machine.Upload) throws {
        var machine = running(upload)
        #expect(machine.receivedHead(head(.ok)) == (upload == .awaitingContinue ? .finalBeforeBody : .final))
        #expect(machine.running?.upload == then)
        machine.bodySent()
        _ = try receive("ok", &machine)
        #expect(machine.finish() == true)
    }

    /// A response without a body was not made from the request's body.
    @Test func anEarlySuccessWithoutABody() {
        var machine = running(.awaitingContinue)
        #expect(machine.receivedHead(head(.ok, [.contentLength: "0"])) == .final)
        #expect(machine.running?.upload == .stopped)
        #expect(machine.finish() == false)
    }

    /// The server might take the rest of the body for another request.
    @Test func theResponseEndsBeforeTheUpload() throws {
        var machine = running(.sending)
        #expect(machine.receivedHead(head(.ok)) == .final)
        _ = try receive("ok", &machine)
        #expect(machine.finish() == false)
    }

    @Test func continueReleasesTheBodyOnce() throws {
        var machine = running(.awaitingContinue)
        #expect(machine.receivedHead(head(.continue)) == .sendBody)
        #expect(machine.receivedHead(head(.continue)) == .interim)
        #expect(machine.continueTimedOut() == false)
        machine.bodySent()
        #expect(machine.receivedHead(head(.ok)) == .final)
        _ = try receive("ok", &machine)
        #expect(machine.finish() == true)
    }

    @Test func anUpgradeEndsHTTP() {
        var machine = Machine()
        machine.begin(.awaitingUpgrade, upgrade: "test")
        #expect(machine.continueTimedOut() == false)
        let switching = head(.switchingProtocols, [.upgrade: "TEST", .connection: "x, Upgrade"])
        #expect(machine.receivedHead(switching) == .upgraded)
        #expect(machine.isUpgraded && machine.bytesArrived() && !machine.expectsNothing)
        #expect(machine.receivedHead(head(.ok)) == .refuse(.unexpectedBytes))
        machine.bodySent()
        #expect(machine.receivedEnd() == true)
        #expect(machine.finish() == false)
    }

    @Test func anUpgradeThatTheServerDeclinesIsAnExchangeLikeAnyOther() throws {
        var machine = Machine()
        machine.begin(.awaitingUpgrade, upgrade: "test")
        #expect(machine.receivedHead(head(.continue)) == .interim)
        #expect(machine.receivedHead(head(.ok)) == .final)
        _ = try receive("ok", &machine)
        #expect(machine.finish() == true)
        machine.begin(.sent)
        #expect(
            machine.receivedHead(head(.switchingProtocols, [.upgrade: "test", .connection: "upgrade"]))
                == .refuse(.unaskedUpgrade))
    }

    @Test func refusals() {
        var machine = running()
        #expect(machine.receivedHead(head(.switchingProtocols)) == .refuse(.unaskedUpgrade))
        #expect(
            machine.receivedHead(head(.ok, [.transferEncoding: "chunked", .contentLength: "1"]))
                == .refuse(.transferEncodingAndLength))
        #expect(machine.receivedHead(head(.ok, [.transferEncoding: "gzip"])) == .refuse(.unknownTransferEncoding))
        #expect(machine.receivedHead(head(.init(code: 42))) == .refuse(.invalidStatus))
        for _ in 0..<ExchangeProgress.maximumInterimResponses {
            #expect(machine.receivedHead(head(.init(code: 102))) == .interim)
        }
        #expect(machine.receivedHead(head(.init(code: 102))) == .refuse(.tooManyInterimResponses))
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

    @Test func bytesBeforeTheRequestAreNoAnswer() {
        var machine = Machine()
        machine.begin(.sending, isHeldBack: true)
        #expect(!machine.bytesArrived() && machine.cut == .beforeResponse && !machine.expectsNothing)
        machine.bodySent()
        #expect(machine.bytesArrived() && !machine.expectsNothing)
        machine = running(served: 1)
        machine.headWasUnsent()
        #expect(!machine.bytesArrived() && machine.mayRetry(isIdempotent: false))
    }

    @Test func bytesAfterAResponseEndItsConnection() throws {
        var machine = running()
        #expect(!machine.expectsNothing)
        _ = machine.receivedHead(head(.ok))
        #expect(!machine.expectsNothing)
        let (body, left) = try receive("ok, and more", &machine)
        #expect(body == "ok" && left == 10)
        #expect(machine.expectsNothing)
        machine.refuseReuse()
        #expect(machine.finish() == false)
        #expect(machine.expectsNothing)
    }

    @Test func anInterimResponseIsNoBeginningOfAHead() {
        var machine = running(served: 1)
        _ = machine.bytesArrived()
        machine.headBegan()
        #expect(machine.receivedHead(head(.continue)) == .interim)
        #expect(machine.cut == .beforeResponse && !machine.mayRetry(isIdempotent: true))
        machine.headBegan()
        #expect(machine.cut == .inHead)
    }

    @Test func aCutIsNamedByItsPlace() throws {
        var machine = running()
        #expect(machine.cut == .beforeResponse)
        machine.headBegan()
        #expect(machine.cut == .inHead)
        _ = machine.receivedHead(head(.ok))
        #expect(machine.receivedEnd() == false)
        #expect(machine.cut == .inBody)
        _ = try receive("ok", &machine)
        #expect(machine.cut == .idle)
        machine.abandon()
        #expect(machine.cut == .idle)
        machine.close()
        #expect(!machine.canBegin)
    }
}
