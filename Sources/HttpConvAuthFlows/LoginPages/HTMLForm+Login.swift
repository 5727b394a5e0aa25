package import HttpConvFormats

extension HTMLForm {
    /// Whether a person logs in with it: one password that exists already, and little else.
    package var isLogin: Bool { LoginPageShape.isLogin(self) }

    /// Whether it makes an account or a subscription, by its buttons, its id or its address.
    package var makesAccount: Bool { LoginPageShape.makesAccount(self) }

    /// Whether a password of it is being chosen.
    package func isChosen(_ password: HTMLField) -> Bool { LoginPageShape.isChosen(password, in: self) }

    /// Whether it is such a form with a user name, and calls itself a login by its id or its button.
    package var isNamedLogin: Bool { isLogin && LoginPageShape.isNamedAfterLogin(self) }
}
