package import HttpConvFormats

extension HTMLForm {
    /// Whether a person logs in with it: one password that exists already, and little else.
    package var isLogin: Bool { LoginPageShape.isLogin(self) }

    /// Whether it is such a form with a user name, and calls itself a login by its id or its button.
    package var isNamedLogin: Bool { isLogin && LoginPageShape.isNamedAfterLogin(self) }
}
