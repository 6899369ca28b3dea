/** An application on an older Spring Boot, which misbehaves on request. */
package io.github.vicinal.testapplications.legacy;
