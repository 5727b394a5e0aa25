package import HttpConvFormats

extension HTMLForm {
    /// Whether a person logs in with it: one password that exists already, and little else.
    package var isLogin: Bool { LoginPageShape.isLogin(self) }
}
