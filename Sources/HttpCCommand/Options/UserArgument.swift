import Foundation
import HttpC

/// `user[:password]`, from -u or a URL.
struct UserArgument {
    let name: String
    /// Nil where it is to be asked for.
    let password: Redacted<String>?
    /// Whether it was found in a .netrc file, which may have logins for other hosts as well.
    let isFromNetrc: Bool

    /// A name, and a password where it is known.
    init(name: String, password: Redacted<String>?, isFromNetrc: Bool = false) {
        self.name = name
        self.password = password
        self.isFromNetrc = isFromNetrc
    }

    /// The value of -u: everything after the first colon is the password (RFC 7617 §2).
    init(_ text: String) {
        let parts = text.cut(atASCII: ":")
        self.init(
            name: String(parts?.before ?? text[...]), password: parts.map { Redacted(String($0.after)) })
    }

    /// The userinfo of a URL, percent-encoded.
    init(userinfo: String) {
        let raw = UserArgument(userinfo)
        self.init(
            name: raw.name.removingPercentEncoding ?? raw.name,
            password: raw.password.map { Redacted($0.value.removingPercentEncoding ?? $0.value) })
    }
}
