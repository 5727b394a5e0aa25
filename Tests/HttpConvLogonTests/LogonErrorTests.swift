import Foundation
import HttpConvLogon
import Testing

@Suite struct LogonErrorTests {
    /// The numbers are those that applications know.
    @Test(
        arguments: [
            (0, .operationCancelled), (1, .invalidParameter), (2, .invalidOperationCode),
            (3, .communicationManagerError),
            (4, .userAlreadyLoggedIn), (5, .operationExecutionInProgress), (6, .invalidOperationContext),
            (7, .invalidCommunicatorID), (8, .invalidActionItemID), (9, .couldNotDecideCommunicator),
            (10, .passwordsNotEqual), (11, .operationNotAllowed), (12, .invalidServerHost),
            (13, .invalidBackendPassword),
            (14, .passcodeChangeNotEnabled), (15, .uploadTraceFailed),
        ] as [(Int, LogonError.Code)]) func numbers(number: Int, code: LogonError.Code)
    {
        #expect(code.rawValue == number)
        let error = LogonError(code, "What happened.")
        #expect(LogonError.errorDomain == "MAFLogonManagerNGErrorDomain")
        #expect(error.errorCode == number)
        #expect(error.errorUserInfo[NSLocalizedDescriptionKey] as? String == "What happened.")
    }

    @Test func sixteenCodes() {
        #expect(LogonError.Code.allCases.count == 16)
        #expect(Set(LogonError.Code.allCases.map(\.rawValue)) == Set(0...15))
    }

    @Test func theErrorBelowIsNotShown() {
        struct Canary: Error { let text = "canary" }
        let error = LogonError(.communicationManagerError, "No server.", underlyingError: Canary())
        var shown = "\(error)"
        dump(error, to: &shown)
        #expect(!shown.contains("canary"))
        #expect(error.underlyingError is Canary)
    }
}
