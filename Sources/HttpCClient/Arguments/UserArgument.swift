package import HttpC
import HttpConvFormats
import HttpConvPlatform

/// `user[:password]`, from -u or a URL.
package struct UserArgument {
    package let name: String
    /// The password; nil if the person is to be asked.
    package let password: Redacted<String>?
    /// Whether it is from a .netrc file, which may have logins for other hosts as well.
    package let isFromNetrc: Bool

    /// Creates a login from a name, and a password if known.
    init(name: String, password: Redacted<String>?, isFromNetrc: Bool = false) {
        self.name = name
        self.password = password
        self.isFromNetrc = isFromNetrc
    }

    /// Parses the value of -u: the text after the first colon is the password (RFC 7617 §2).
    package init(_ text: String) {
        let parts = text.cut(atASCII: ":")
        self.init(
            name: String(parts?.before ?? text[...]), password: parts.map { Redacted(String($0.after)) })
    }

    /// Parses the userinfo of a URL, percent-encoded.
    init(userinfo: String) {
        let raw = UserArgument(userinfo)
        self.init(
            name: raw.name.percentDecodedText ?? raw.name,
            password: raw.password.map { Redacted($0.value.percentDecodedText ?? $0.value) })
    }
}
