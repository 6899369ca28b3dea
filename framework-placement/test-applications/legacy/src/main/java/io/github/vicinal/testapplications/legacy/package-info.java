/** An application on an older Spring Boot, which misbehaves when it is told to. */
package io.github.vicinal.testapplications.legacy;
