import Foundation
import HTMLForms
import HttpConversation

/// How a client proves to the token endpoint who it is (RFC 6749 §2.3).
public struct OAuth2ClientAuthentication: Hashable, Sendable {
    enum Method: Hashable, Sendable {
        case none
        case basic(Redacted<String>)
        case post(Redacted<String>)
    }

    let method: Method

    /// A public client: only its id goes along (RFC 8252 §8.4).
    public static let none = OAuth2ClientAuthentication(method: .none)
    /// Id and secret in `Authorization: Basic`, each form-encoded first (RFC 6749 §2.3.1).
    public static func basic(secret: String) -> OAuth2ClientAuthentication {
        OAuth2ClientAuthentication(method: .basic(Redacted(secret)))
    }
    /// Id and secret among the form's parameters, for servers that want that.
    public static func post(secret: String) -> OAuth2ClientAuthentication {
        OAuth2ClientAuthentication(method: .post(Redacted(secret)))
    }

    /// The secret, where there is one.
    var secret: String? {
        switch method {
        case .none: nil
        case .basic(let secret), .post(let secret): secret.value
        }
    }

    /// The value of `Authorization` for a client, where this method has one.
    func authorization(clientID: String) -> String? {
        guard case .basic(let secret) = method else { return nil }
        let pair = "\(FormEncoding.encode(clientID)):\(FormEncoding.encode(secret.value))"
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }

    /// What goes into the form.
    func parameters(clientID: String) -> [FormEncoding.Parameter] {
        switch method {
        case .none: [("client_id", clientID)]
        case .basic: []
        case .post(let secret): [("client_id", clientID), ("client_secret", secret.value)]
        }
    }
}

extension OAuth2ClientAuthentication: CustomStringConvertible, CustomReflectable {
    /// The name of the method in server metadata (RFC 8414 §2).
    public var description: String {
        switch method {
        case .none: "none"
        case .basic: "client_secret_basic"
        case .post: "client_secret_post"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: ["method": description]) }
}
