import Foundation
import Testing

@testable import HttpConvAuthFlows

/// Messages as they are in a query (DEFLATE, base64, percent encoding) and in a form (base64).
enum SAML2Samples {
    /// An `AuthnRequest`.
    static let requestInQuery =
        "sylOzM0psHIsLcnIC0otLE0tLlGoyM3JK7YCS9gqlRblWeUnFmcWW%2BUl5qYWW5UkWwU7%2BvpYGekZWBUU5ZfkJ%2BfnKC"
        + "l4utgqxRsqKYSlFhVn5ufZKgGllfTtAA%3D%3D"
    /// A `LogoutRequest` with an XML declaration.
    static let logoutInQuery =
        "fZDBTsMwDIbvPEWUe9ukIChW2wmpQqo0OMDYgQuy2jAipUmpXbTHJ3SbmDhwtP1%2F1meXq%2F3gxJeZyAZfSZ0qKYzvQm%2"
        + "F9rpIvm%2FukkKv6oiQc3AjrsAszP5nP2RCLSHqCZVLJefIQkCyBx8EQcAfPdw9ryFMF4xQ4dMHJM%2BR%2FAonMxFFJirap"
        + "5Fuu%2B%2FdbjYUU25Nq%2FqPaEs2m9cToObaUvkrUTaKLjdKgL0Fdv0rRRFfrkRfqg3kkyDLbj6nZ4zA6k5ELsl4uhGXfVJ"
        + "9S9BsaDGOPjGV2HjxQj9G%2FbWp0tjPH%2BbF1qP48rv4G"
    /// A `LogoutRequest`.
    static let logoutInForm =
        "PHNhbWxwOkxvZ291dFJlcXVlc3QgeG1sbnM6c2FtbHA9InVybjpvYXNpczpuYW1lczp0YzpTQU1MOjIuMDpwcm90b2NvbCIg"
        + "SUQ9Il8xIiBWZXJzaW9uPSIyLjAiLz4="
    /// A `LogoutResponse`.
    static let loggedOutInForm =
        "PHNhbWxwOkxvZ291dFJlc3BvbnNlIHhtbG5zOnNhbWxwPSJ1cm46b2FzaXM6bmFtZXM6dGM6U0FNTDoyLjA6cHJvdG9jb2wi"
        + "IElEPSJfMSIgVmVyc2lvbj0iMi4wIi8+"
}

@Suite("SAML2: messages that end a session") struct SAML2MessageTests {
    private func value(_ text: String) -> String { text.removingPercentEncoding ?? "" }

    @Test func logoutsAreRecognized() {
        #expect(SAML2Message.isLogout(value(SAML2Samples.logoutInQuery), by: .redirect))
        // Some servers do not encode the plus signs.
        #expect(
            SAML2Message.isLogout(value(SAML2Samples.logoutInQuery).replacing("+", with: " "), by: .redirect))
        #expect(SAML2Message.isLogout(SAML2Samples.logoutInForm, by: .post))
        #expect(SAML2Message.isLogout(SAML2Samples.loggedOutInForm, by: .post))
        #expect(
            SAML2Message.isLogout(
                "\n" + SAML2Samples.logoutInForm.prefix(40) + "\r\n" + SAML2Samples.logoutInForm.dropFirst(40),
                by: .post))
    }

    @Test(arguments: ["", "x", "PHNhbWw", "====", "PExvZ291dFJlcXVlc3Q=", "PCEtLTxMb2dvdXRSZXF1ZXN0PiAtLT4=", "////"])
    func anythingElseIsALogin(value: String) {
        #expect(!SAML2Message.isLogout(value, by: .redirect) && !SAML2Message.isLogout(value, by: .post))
    }

    @Test func aRequestForALoginIsOne() {
        #expect(!SAML2Message.isLogout(value(SAML2Samples.requestInQuery), by: .redirect))
        // In the encoding of the other binding a message cannot be read.
        #expect(!SAML2Message.isLogout(value(SAML2Samples.logoutInQuery), by: .post))
        #expect(!SAML2Message.isLogout(SAML2Samples.logoutInForm, by: .redirect))
    }
}
