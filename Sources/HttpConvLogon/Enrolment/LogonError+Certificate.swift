import HttpConversation
import MobileServices

extension LogonError {
    /// Whether a registration has failed for another reason than its certificate. After any other failure the server
    /// may have refused the certificate, such as in the handshake or with 403.
    var isNotAboutCertificate: Bool {
        switch code {
        case .operationCancelled, .invalidParameter, .invalidServerHost, .invalidBackendPassword: return true
        case .couldNotDecideCommunicator:
            let reports = (underlyingError as? NoCommunicator)?.reports ?? []
            return reports.allSatisfy(\.isNotAboutCertificate)
        default:
            let service = underlyingError as? MobileServicesError
            let cause = (service?.underlyingError ?? underlyingError) as? ConversationError
            return service?.code == .serverFailed || cause?.code.isOfNetwork == true
        }
    }
}

extension ProbeReport {
    fileprivate var isNotAboutCertificate: Bool {
        if let failure { return failure.isOfNetwork }
        // nginx answers 400 to a certificate that it refuses.
        return status != 400 && status != 403
    }
}

extension ConversationError.Code {
    /// Whether the server was not reached, or has not answered in time.
    fileprivate var isOfNetwork: Bool {
        [.hostNotResolved, .connectionFailed, .proxyNotResolved, .proxyRefused, .timedOut].contains(self)
    }
}
