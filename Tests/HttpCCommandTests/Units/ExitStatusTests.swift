import HttpC
import Testing

@testable import HttpCCommand
@testable import HttpCTerminal

@Suite struct ExitStatusTests {
    @Test(
        arguments: [
            (ConversationError.Code.invalidURL, 3), (.unsupportedScheme, 1), (.invalidRequest, 2),
            (.invalidConfiguration, 2), (.proxyNotResolved, 5), (.proxyRefused, 56), (.proxyHandshakeFailed, 97),
            (.hostNotResolved, 6), (.connectionFailed, 7), (.tlsFailed, 35),
            (.certificateNotTrusted, 60), (.trustRootsUnusable, 77), (.timedOut, 28), (.emptyResponse, 52),
            (.malformedResponse, 8), (.bodyCut, 18), (.contentCoding, 61), (.tooLarge, 63), (.sendFailed, 55),
            (.receiveFailed, 56), (.http2Failed, 16), (.http2StreamReset, 92), (.shutDown, 56), (.invalidRedirect, 3),
            (.redirectRefused, 1),
            (.tooManyRedirects, 47),
            (.tooManyAttempts, 67), (.bodyNotReplayable, 65), (.bodyUnavailable, 26), (.outputFailed, 23),
            (.cancelled, 67), (.authenticationFailed, 67), (.filterFailed, 67), (.internalInconsistency, 70),
            (.notResumable, 33), (.unsuccessfulStatus, 22), (.bodyNotDecodable, 8),
        ] as [(ConversationError.Code, Int32)])
    func everyCodeHasItsNumber(code: ConversationError.Code, number: Int32) {
        #expect(HttpCTerminal.ExitStatus(code).rawValue == number)
        #expect(HttpCTerminal.ExitStatus.table[code] != nil)
    }

    @Test func helpNamesEveryNumber() {
        for status in HttpCTerminal.ExitStatus.allCases where status != .receiveFailed {
            #expect(HelpTopic.exitCodes.text.contains("\(status.rawValue)  \(status.meaning)"))
        }
    }
}
